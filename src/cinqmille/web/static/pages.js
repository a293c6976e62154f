// What makes the pages around the table smoother: nothing typed is lost to an answer, links are shared, sheets printed.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector);
  const setup = () => $("#new");

  // What stood in the form when a question went out, by field; and what was pressed.
  let sent = null, pressed = null;

  const value = (field) => field.type === "checkbox" || field.type === "radio" ? field.checked : field.value;
  const fields = () => [...document.querySelectorAll("#new input[id], #new select[id]")];
  const values = () => new Map(fields().map((field) => [field.id, value(field)]));

  function reset(field) {
    if (field.matches("select")) { for (const option of field.options) option.selected = option.defaultSelected; }
    else if (typeof value(field) === "boolean") field.checked = field.defaultChecked;
    else if (field.value !== field.defaultValue) field.value = field.defaultValue;
  }

  // Where the answer puts things in another order, what was typed meanwhile belongs to another field.
  const moves = (name) => /^(up|down|remove|restore)/.test(name || "");

  function remember(event) {
    if (!setup() || !event.target.closest || !event.target.closest("#new")) return;
    sent = values();
  }

  let later = null;
  function before() {
    if (!sent) return;
    const now = values();
    const radios = [...now].filter(([id, is]) => id.startsWith("sheet-") && sent.get(id) !== is);
    // Another sheet was chosen meanwhile: its own answer is on its way.
    later = moves(pressed) || radios.length ? null : [...now].filter(([id, is]) => sent.has(id) && sent.get(id) !== is);
    sent = null;
  }

  function after() {
    if (!setup()) return;
    // What the browser keeps of a field that was typed in gives way to the answer, but for what was typed since.
    const kept = new Map(later || []);
    let last = null;
    for (const field of fields()) {
      if (!kept.has(field.id)) { reset(field); continue; }
      const is = kept.get(field.id);
      if (typeof is === "boolean") field.checked = is; else field.value = is;
      if (field !== document.activeElement) last = field;
    }
    if (last) last.dispatchEvent(new Event("change", { bubbles: true }));
    later = null;
    if (pressed && document.activeElement === document.body) {
      const names = document.querySelectorAll(".seat input");
      const goal = pressed === "add" ? names[names.length - 1] : document.getElementById(pressed) || $("#add") || names[0];
      if (goal) goal.focus();
    } else if (pressed === "add") {
      const names = document.querySelectorAll(".seat input");
      names[names.length - 1].focus();
    }
    pressed = null;
    // The form is kept on the server: coming back by the language switch shows it, not the rules of a link again.
    if (location.search) history.replaceState(null, "", "/new");
    const back = $("input[name=back]");
    if (back) back.value = "/new";
    show();
  }

  async function share(link) {
    const url = link.href, told = link.dataset.share;
    try {
      if (navigator.share) await navigator.share({ title: document.title, url });
      else { await navigator.clipboard.writeText(url); tell(link, told); }
    } catch (problem) {
      // Neither is allowed everywhere; the link itself always works.
      if (problem.name !== "AbortError") location.href = url;
    }
  }

  function tell(beside, text) {
    let line = $(".shared");
    if (!line) {
      line = document.createElement("span");
      line.className = "shared";
      line.setAttribute("role", "status");
      beside.after(line);
    }
    line.textContent = "";
    setTimeout(() => { line.textContent = text; }, 50);
  }

  function show() {
    for (const thing of document.querySelectorAll("[data-print], [data-share]")) thing.hidden = false;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("#new button[name=then]");
    if (button) pressed = button.value;
    if (event.target.closest("[data-print]")) print();
    const link = event.target.closest("[data-share]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); share(link); }
  });
  // A second tap on the button that starts a game does not start another one.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id !== "new" || !event.submitter || !["start", "invite"].includes(event.submitter.value)) return;
    if (form.dataset.starting) { event.preventDefault(); return; }
    form.dataset.starting = "yes";
    const waits = $("#waits");
    if (waits) waits.hidden = false;
  });
  window.addEventListener("pageshow", () => { if (setup()) delete setup().dataset.starting; });
  document.addEventListener("keydown", (event) => {
    if (!$(".turns") || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
    const way = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    const link = way && $(`.steps [rel=${way}]`);
    if (link) { event.preventDefault(); link.click(); }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("form[action='/odds'] select")) event.target.form.requestSubmit();
  });
  document.addEventListener("htmx:before:request", remember);
  document.addEventListener("htmx:before:swap", before);
  document.addEventListener("htmx:after:swap", after);
  document.addEventListener("DOMContentLoaded", show);
})();
