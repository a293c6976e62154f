// What saves a round trip: the points of the dice that are chosen, keys, and the pace of bots. Pages work without it.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);

  const chosen = () => [...document.querySelectorAll(".choosing input:checked")].map((box) => box.dataset.face).sort().join("");

  function showSelection() {
    const text = $("#choices"), bank = $("#bank"), roll = $("#roll");
    if (!text || !bank || !roll) return;
    const choices = JSON.parse(text.textContent), dice = chosen(), choice = choices[dice];
    const line = $("#selection"), why = $("#why"), announce = $("#announce");
    bank.textContent = choice && choice.bank ? choice.bank : bank.dataset.label;
    roll.textContent = choice ? choice.roll : roll.dataset.label;
    bank.disabled = !choice || !choice.bank;
    roll.disabled = !choice;
    if (announce) announce.hidden = !(choice && choice.announce);
    why.textContent = choice ? [choice.why, choice.risk].filter(Boolean).join(" · ") : "";
    line.textContent = choice ? choice.says : dice ? line.dataset.wrong : line.dataset.empty;
    for (const chip of document.querySelectorAll(".chip[data-dice]")) chip.setAttribute("aria-pressed", String(chip.dataset.dice === dice));
  }

  function choose(dice) {
    const wanted = [...dice];
    for (const box of document.querySelectorAll(".choosing input")) {
      const place = wanted.indexOf(box.dataset.face);
      box.checked = place >= 0;
      if (place >= 0) wanted.splice(place, 1);
    }
    showSelection();
  }

  let waiting = 0;
  function paceBots() {
    clearTimeout(waiting);
    const next = $("#bot-next");
    if (next) waiting = setTimeout(() => { if (next.isConnected && !document.hidden) next.click(); }, Number(next.dataset.pace));
  }

  function refresh() {
    const pad = $(".pad");
    if (pad) pad.hidden = false;
    showSelection();
    paceBots();
  }

  document.addEventListener("change", (event) => { if (event.target.matches(".choosing input")) showSelection(); });
  document.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip[data-dice]");
    if (chip) choose(chip.dataset.dice);
    const add = event.target.closest("[data-add]");
    if (add) { const field = $("#dice"); field.value = add.dataset.add ? field.value + add.dataset.add : ""; }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]), textarea, select")) return;
    const boxes = document.querySelectorAll(".choosing input"), key = event.key.toLowerCase();
    if (/^[1-8]$/.test(key) && boxes[Number(key) - 1]) { boxes[Number(key) - 1].click(); boxes[Number(key) - 1].focus(); }
    else if (key === "b" && $("#bank") && !$("#bank").disabled) $("#bank").click();
    else if (key === "r" && $("#roll") && !$("#roll").disabled) $("#roll").click();
  });
  document.addEventListener("visibilitychange", paceBots);
  for (const name of ["DOMContentLoaded", "htmx:after:swap", "htmx:after:settle"]) document.addEventListener(name, refresh);
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/worker.js").catch(() => {});
})();
