// What saves a round trip at a table: the points of the dice that are chosen, keys, the pace of bots, and words about
// what is new. Nothing here knows a rule: labels and chances come with the page. Pages work without it.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector), all = (selector) => [...document.querySelectorAll(selector)];
  // A second tap of a double tap must not hit the button that took the first one's place; a phone that lies between
  // several people is tapped more slowly, and the next entry is somebody else's.
  const SETTLE = 350, SETTLE_SHEET = 900;
  const root = document.documentElement, state = () => $("#state"), number = () => state()?.dataset.number, moment = () => state()?.dataset.moment;
  root.classList.add("js");
  const kept = { // settings of this device; a browser that keeps nothing still plays
    get(name) { try { return localStorage.getItem(name); } catch { return null; } },
    set(name, value) { try { localStorage.setItem(name, value); } catch { /* private windows */ } },
  };
  const isOn = (name) => kept.get(name) === "on";
  const off = (button, yes) => { if (button) { if (yes) button.setAttribute("aria-disabled", "true"); else button.removeAttribute("aria-disabled"); } };
  const say = (text) => { const line = $("#say"); if (line && text) line.textContent = line.textContent === text ? text + "\u00a0" : text; };

  // The dice that are chosen

  const chosen = () => all(".choosing input:checked").map((box) => box.dataset.face).sort().join("");
  const choices = () => { const text = $("#choices"); return text ? JSON.parse(text.textContent) : {}; };

  function showSelection() {
    const bank = $("#bank"), roll = $("#roll"), line = $("#selection");
    if (!$("#choices") || !bank || !roll) return;
    const dice = chosen(), choice = choices()[dice];
    bank.textContent = choice ? choice.bank : bank.dataset.label;
    roll.textContent = choice ? choice.roll : roll.dataset.label;
    off(bank, !choice || !choice.banks);
    off(roll, !choice);
    const announce = $("#announce");
    if (announce) announce.hidden = !(choice && choice.announce);
    const lines = choice ? [choice.says, choice.risk, choice.why] : [dice ? line.dataset.wrong : line.dataset.empty];
    line.replaceChildren(...lines.filter(Boolean).map((text) => Object.assign(document.createElement("p"), { textContent: text })));
    line.classList.toggle("wrong", Boolean(dice && !choice));
    for (const chip of all(".chip[data-dice]")) chip.setAttribute("aria-pressed", String(chip.dataset.dice === dice));
  }

  function choose(dice) {
    const wanted = chosen() === dice ? [] : [...dice];
    for (const box of all(".choosing input")) {
      const place = wanted.indexOf(box.dataset.face);
      box.checked = place >= 0;
      if (place >= 0) wanted.splice(place, 1);
    }
    showSelection();
  }

  // Real dice, tapped in

  let typedFor = "", pointsFor = "";
  function showTyped() {
    const field = $("#dice"), tray = $("#tray"), enter = $("#enter-dice"), points = $("#points");
    if (points && points.dataset.turn !== pointsFor) { pointsFor = points.dataset.turn; if (!points.closest(".felt").querySelector(".refusal")) points.value = ""; }
    if (points) {
      const button = $("#enter-points"), text = points.value.trim();
      button.textContent = text ? button.dataset.with.replace("#", text) : button.dataset.label;
      off(button, !text);
    }
    if (!field || !tray) { typedFor = ""; return; }
    if (typedFor !== field.dataset.roll) { typedFor = field.dataset.roll; if (!$(".felt .refusal")) field.value = ""; }
    const faces = [...field.value.replace(/[^1-6]/g, "")], count = Number(tray.dataset.count), places = [];
    for (let place = 0; place < Math.max(count, faces.length); place++) {
      const button = document.createElement(place < faces.length ? "button" : "span");
      button.className = "die" + (place < faces.length ? "" : " empty");
      if (place < faces.length) {
        button.type = "button"; button.dataset.erase = place;
        button.setAttribute("aria-label", tray.dataset.erase.replace("#", faces[place]));
        const face = document.createElementNS("http://www.w3.org/2000/svg", "svg"), use = document.createElementNS("http://www.w3.org/2000/svg", "use");
        face.setAttribute("class", "face"); face.setAttribute("aria-hidden", "true"); use.setAttribute("href", document.documentElement.dataset.dice + "#face-" + faces[place]);
        face.append(use); button.append(face);
      }
      places.push(button);
    }
    tray.replaceChildren(...places);
    const missing = count - faces.length;
    enter.textContent = missing > 0 && faces.length ? enter.dataset.more.replace("#", missing) : enter.dataset.label;
    off(enter, missing !== 0);
    for (const button of all("[data-add]")) off(button, missing <= 0);
  }

  function type(face) {
    const field = $("#dice"), faces = field.value.replace(/[^1-6]/g, "");
    if (faces.length < Number($("#tray").dataset.count)) field.value = faces + face;
    showTyped();
  }

  // What is typed or chosen, and not sent yet, outlives a reload of the same moment.

  const unsent = "unsent " + location.pathname;
  function keepUnsent() {
    if (!state()) return;
    const ticks = all(".choosing input").map((box) => box.checked);
    try { sessionStorage.setItem(unsent, JSON.stringify([number(), $("#dice")?.value, $("#points")?.value, ticks])); } catch { /* private windows */ }
  }
  function takeUnsent() {
    let found;
    try { found = JSON.parse(sessionStorage.getItem(unsent)); } catch { return; }
    if (!found || found[0] !== number()) return;
    if ($("#dice") && found[1]) $("#dice").value = found[1];
    if ($("#points") && found[2]) $("#points").value = found[2];
    all(".choosing input").forEach((box, place) => { box.checked = Boolean(found[3][place]); });
    showSelection();
    showTyped();
  }
  for (const name of ["click", "input", "change", "keyup"]) document.addEventListener(name, () => setTimeout(keepUnsent));
  window.addEventListener("pagehide", keepUnsent);

  // Bots go on by themselves while somebody looks; whoever is in a hurry is taken to the next person's turn.

  let waiting = 0, hurry = false;
  function paceBots() {
    clearTimeout(waiting);
    const next = $("#bot-next");
    if (!next) { hurry = false; return; }
    waiting = setTimeout(() => { if (next.isConnected && !document.hidden) (hurry ? $("#bot-all") : next).click(); }, hurry ? 0 : Number(next.dataset.pace));
  }

  // What is new is said once, heard if wanted, and does not take the focus away.

  let shown = number(), told = Math.max(0, ...all("#log [data-event]").map((line) => Number(line.dataset.event))), turn = state()?.dataset.turn, before = null, acted = false;
  function tellNews() {
    const lines = all("#log [data-event]").reverse(), last = lines.length ? Number(lines.at(-1).dataset.event) : 0;
    const news = lines.filter((line) => Number(line.dataset.event) > told).map((line) => line.textContent);
    if (last < told) news.push(state().dataset.undone);
    if (state().dataset.turn !== turn) { turn = state().dataset.turn; if (turn) news.push(turn + "."); }
    if (news.length) say(news.join(" "));
    if (last > told) window.cinqmilleSounds?.(state().dataset.sound, isOn("sound"), isOn("buzz"));
    told = last;
  }

  function refresh() {
    for (const box of all("[data-setting]")) box.checked = isOn(box.dataset.setting);
    const mode = $("#mode-" + (kept.get("mode") === "points" ? "points" : "dice"));
    if (mode) mode.checked = true;
    showSelection();
    showTyped();
    if (!state()) return;
    if (number() !== shown) {
      shown = number();
      document.body.classList.add("settling");
      setTimeout(() => document.body.classList.remove("settling"), $("#points") ? SETTLE_SHEET : SETTLE);
      $(".winner")?.scrollIntoView({ block: "center" }); // whoever read further down sees who won
      tellNews();
      const hint = $("#hint");
      if (hint && hint.firstElementChild?.dataset.number !== shown) hint.replaceChildren();
    }
    const hint = $("#hint > [data-number]");
    if (hint && hint.dataset.number !== shown) hint.remove(); // advice that came after its moment
    const focus = document.activeElement, nowhere = !focus || focus === document.body, dice = acted && $(".choosing input");
    if (dice && (nowhere || $("#table").contains(focus))) dice.focus({ preventScroll: true }); // what comes next is chosen there
    else if (before && before !== focus && nowhere) ((before.id && document.getElementById(before.id)) || $("#turn"))?.focus({ preventScroll: true });
    before = null; acted = false;
    paceBots();
  }

  // A moment is NUMBER, or NUMBER.GLANCE… at a table far apart, where who is there changes too.
  const parts = (text) => (text || "0").split(".").map(Number);
  function older(one, other, deep) {
    const [a, b] = [parts(one), parts(other)];
    for (let place = 0; place < (deep ? Math.max(a.length, b.length) : 1); place++) if ((a[place] || 0) !== (b[place] || 0)) return (a[place] || 0) < (b[place] || 0);
    return false;
  }

  let late = 0; // what mends itself within a moment is no trouble
  const troubleSoon = () => { if (!late) late = setTimeout(() => trouble(true), 3000); };
  const trouble = (yes) => { clearTimeout(late); late = 0; const line = $("#trouble"); if (line) { line.hidden = !yes; line.textContent = yes ? line.dataset.text : ""; } };
  const isTable = (ctx) => ctx?.target === $("#table") || ctx?.target === "#table";

  document.addEventListener("htmx:before:request", (event) => {
    const source = event.detail.ctx.sourceElement;
    if (source.id === "advice") {
      const wait = document.createElement("p");
      wait.className = "patience"; wait.textContent = $("#hint").dataset.patience;
      $("#hint").replaceChildren(wait);
      wait.scrollIntoView({ block: "nearest" });
    }
  });
  document.addEventListener("htmx:finally:request", () => {
    document.body.classList.remove("busy");
    for (const button of all("[aria-busy]")) button.removeAttribute("aria-busy");
    const wait = $(".patience");
    if (wait) { wait.className = "note"; wait.textContent = $("#hint").dataset.failed; }
    paceBots(); // also where nothing came back: a robot tries again
  });
  document.addEventListener("htmx:before:swap", (event) => {
    const ctx = event.detail.ctx;
    if (!isTable(ctx)) { if (ctx.response && ctx.response.status >= 400) event.preventDefault(); return; }
    const found = /id="state"[^>]*data-moment="([\d.]+)"/.exec(ctx.text);
    // Neither an error page nor an answer that a later one has overtaken takes the table's place. The stream tells in
    // the right order who is there, and a server that was started again counts glances anew; a refusal must be read.
    const answers = ctx.sourceElement !== $("#table") && !(ctx.response?.status >= 400);
    if (!found || older(found[1], moment(), answers)) { event.preventDefault(); if (!found && !ctx.kept) trouble(true); return; }
    trouble(false);
    before = $("#table").contains(document.activeElement) ? document.activeElement : null;
    acted = answers && Boolean(ctx.sourceElement?.closest?.("#play"));
  });
  let again = false; // the first word of a stream that had been cut says who is there now, whatever its number
  document.addEventListener("htmx:sse:after:connection", () => { again = Boolean($("#far")); });
  document.addEventListener("htmx:sse:before:message", (event) => {
    trouble(false);
    if (event.detail.message.event) return;
    if (event.detail.message.id === moment() && !again) event.preventDefault();
    again = false;
  });
  document.addEventListener("htmx:sse:error", () => { if (!document.hidden) troubleSoon(); });
  document.addEventListener("htmx:error", (event) => { if (!document.hidden && !event.detail.ctx?.kept) trouble(true); });
  document.addEventListener("htmx:after:swap", (event) => { refresh(); if (!isTable(event.detail.ctx)) $("#hint")?.scrollIntoView({ block: "nearest" }); });

  // Taps, clicks and keys

  let dared = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button, [role=button]");
    if (!button) return;
    const stop = () => { event.preventDefault(); event.stopImmediatePropagation(); };
    if (button.id === "bot-all") hurry = true;
    const moves = button.closest(".actions, .announce") && button.closest("#play");
    if (button.getAttribute("aria-disabled") === "true" || (moves && document.body.matches(".settling, .busy"))) return stop();
    if (button.id === "roll" && isOn("ask") && !dared) {
      const text = button.dataset.ask || choices()[chosen()]?.ask;
      if (text) {
        stop();
        $("#daring-text").textContent = text;
        $("#daring").returnValue = "no";
        return $("#daring").showModal();
      }
    }
    dared = false;
    if (button.type === "submit" && button.form?.matches("[hx-post]")) button.setAttribute("aria-busy", "true");
    if (button.matches(".chip[data-dice]")) choose(button.dataset.dice);
    if (button.dataset.add) type(button.dataset.add);
    if (button.dataset.erase) {
      const faces = [...$("#dice").value.replace(/[^1-6]/g, "")];
      faces.splice(Number(button.dataset.erase), 1);
      $("#dice").value = faces.join("");
      showTyped();
      ($("#tray button:last-of-type") || $("[data-add]")).focus();
    }
    if (button.dataset.opens) $("#" + button.dataset.opens).showModal();
  }, true);
  $("#daring")?.addEventListener("close", () => { if ($("#daring").returnValue === "yes") { dared = true; $("#roll")?.click(); } });

  document.addEventListener("submit", (event) => { // plain forms are sent once
    const form = event.target;
    if (form.matches("#table [hx-post]")) document.body.classList.add("busy"); // from this moment on, not when it is sent
    if (form.matches("[hx-post]") || form.method === "dialog" || event.defaultPrevented) return;
    if (form.dataset.sent) event.preventDefault(); else form.dataset.sent = "1";
  });
  window.addEventListener("pageshow", (event) => {
    for (const form of all("form[data-sent]")) delete form.dataset.sent;
    if (event.persisted && state()) location.reload(); // the page of a moment ago is not the table
    else refresh();
  });
  document.addEventListener("change", (event) => {
    const box = event.target;
    if (box.matches(".choosing input")) showSelection();
    if (box.dataset.setting) {
      kept.set(box.dataset.setting, box.checked ? "on" : "off");
      if (box.checked) window.cinqmilleSounds?.("keep", isOn("sound"), isOn("buzz"));
    }
    if (box.name === "mode") kept.set("mode", box.value);
  });
  document.addEventListener("input", (event) => { if (event.target.matches("#dice, #points")) showTyped(); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches(".choosing input")) return event.preventDefault(); // which button would that be?
    if (event.key === "Enter" && event.target.matches("#points, #dice")) { event.preventDefault(); return $(event.target.id === "points" ? "#enter-points" : "#enter-dice").click(); }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || $("dialog[open]")) return;
    if (event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) return;
    const boxes = all(".choosing input"), key = event.key.toLowerCase(), box = boxes[Number(key) - 1];
    if (/^[1-8]$/.test(key) && box) { box.click(); box.focus(); }
    else if (/^[1-6]$/.test(key) && $("#dice") && $("#tray").offsetParent) type(key);
    else if (key === "backspace" && $("#tray")?.offsetParent) $("#tray button:last-of-type")?.click();
    else if (key === "b") $("#bank")?.click();
    else if (key === "r") $("#roll")?.click();
    else if (key === "u") $("#undo")?.click();
    else if (key === "s") say(state()?.dataset.scores);
    else if (key === "t") say(state()?.dataset.total);
    else if (key === "?") $("#keys")?.showModal();
  });
  document.addEventListener("visibilitychange", paceBots);
  document.addEventListener("DOMContentLoaded", () => { if (window.htmx) htmx.config.morphIgnore.push("open", "aria-pressed"); refresh(); takeUnsent(); });
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/worker.js").catch(() => {});
})();
