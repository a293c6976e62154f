// What a table far apart needs of a device: its share in the dice (see fair.js), a stream that comes back at once, a
// command that outlives a cut line, the call when it is one's turn, and links to copy. The page works without it.
(() => {
  "use strict";
  const $ = (selector, root = document) => root.querySelector(selector), all = (selector) => [...document.querySelectorAll(selector)];
  const far = () => $("#far")?.dataset, fair = () => window.cinqmilleFair;
  const kept = (name) => { try { return localStorage.getItem(name) === "on"; } catch { return false; } };

  // The own share in the dice. Anchors are given once for every page: two devices of one seat must not take turns.

  let anchored = false, asked = "";
  const again = () => { asked = ""; anchored = false; setTimeout(share, 2000); };
  const give = (fields) => fetch(`/t/${far().table}/share`, {
    method: "POST", headers: { "HX-Request": "true" }, body: new URLSearchParams(fields), keepalive: true,
  }).then((answer) => { if (answer.status >= 500 || answer.status === 429) again(); }, again);

  function share() {
    const table = far();
    if (!table || !fair()) return;
    const first = fair().note(table.table, table.commitment);
    if (first && first !== table.commitment) $("#cheat").hidden = false;
    const end = table.seal && fair().noteSeal(table.table, table.seal);
    if (end && end !== table.seal) $("#other-end").hidden = false;
    if (table.seat === "") return;
    const anchor = table.stage === "gathering" ? fair().anchor(table.table) : fair().link(table.table, 0);
    if (!anchor) return; // nothing can be kept here, or the chain is another device's
    if (table.stage === "gathering" && table.anchor !== anchor && !anchored) { anchored = true; give({ anchor }); }
    if (table.stage === "sealing" && table.opens && table.anchor === anchor && asked !== table.table) {
      asked = table.table;
      give({ link: fair().link(table.table, 1) });
    }
  }

  // A link of the chain goes out with what throws dice, and with nothing else: the server learns it no sooner.
  const throws = (value) => /^(roll|takeover|announce-)/.test(value || "");
  function linkFor(value) {
    const table = far();
    if (!table || !fair() || !throws(value) || !Number(table.link) || table.anchor !== fair().link(table.table, 0)) return "";
    return fair().link(table.table, Number(table.link)) || "";
  }
  document.addEventListener("submit", (event) => {
    const field = event.target.elements?.namedItem("link");
    if (field && far()) field.value = linkFor(event.submitter?.value);
  }, true);

  // A command that did not get through is kept, and sent again at a tap. It carries what was seen: once is enough.

  let lost = null, sending = null;
  const line = $("#unsent");
  function forget() { lost = null; if (line) line.hidden = true; }
  document.addEventListener("htmx:config:request", (event) => {
    if (sending && event.detail.ctx.request.action === sending.action) { event.detail.ctx.request.body = new URLSearchParams(sending.body); sending = null; }
  });
  function keep(ctx) {
    if (!line || ctx?.request?.method !== "POST" || !ctx.request.action.includes("/t/")) return;
    ctx.kept = true;
    const body = new URLSearchParams(ctx.request.body), number = $("#state").dataset.number, seen = body.get("seen") ?? number;
    if (seen !== number) return; // it got through: only the answer was lost, and the stream was faster
    lost = { action: ctx.request.action, body: String(body), number };
    line.hidden = false;
  }
  document.addEventListener("htmx:error", (event) => keep(event.detail.ctx), true);
  // Nor has it where the server, or what stands before it, could not take it just now.
  document.addEventListener("htmx:before:swap", (event) => { const ctx = event.detail.ctx; if (ctx.response?.status >= 500) keep(ctx); }, true);
  line?.addEventListener("click", (event) => {
    if (!event.target.closest("button") || !lost) return;
    sending = lost;
    const { action } = lost;
    forget();
    htmx.ajax("POST", action, { source: "#table", target: "#table", swap: "innerMorph" });
  });

  // The stream comes back at once when somebody looks again, or the line does; one that says nothing for long is dead.

  const SILENT = 50000;
  let heard = Date.now();
  const stream = () => $("#table")?._htmx?.sse;
  function hurry() { stream()?.delayCanceller?.(); }
  function renew() { const one = stream(); if (one?.delayCanceller) one.delayCanceller(); else one?.reader?.cancel(); }
  for (const name of ["htmx:sse:after:connection", "htmx:sse:before:message"]) document.addEventListener(name, () => { heard = Date.now(); });
  window.addEventListener("online", renew);
  document.addEventListener("htmx:sse:error", (event) => { if (event.detail.status === 404) location.reload(); }); // it was deleted
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { if (Date.now() - heard > SILENT / 2) renew(); else hurry(); } });
  setInterval(() => {
    if (document.hidden || Date.now() - heard < (stream() ? SILENT : 6000)) return;
    heard = Date.now();
    if (stream()) renew();
    else if ($("#table")) htmx.ajax("GET", `/t/${far().table}/live`, { source: "#table", target: "#table", swap: "innerMorph" }); // it never came about
  }, 3000);

  // Whose turn it is, also where the window is behind others.

  let mine = $("#state")?.dataset.mine === "yes", said = $("#state")?.dataset.news;
  function call() {
    const state = $("#state")?.dataset;
    if (!state) return;
    document.title = state.title;
    const now = state.mine === "yes";
    if (now && !mine) window.cinqmilleSounds?.("call", kept("call"), kept("buzz"));
    mine = now;
    if (state.news && state.news !== said) { said = state.news; const words = $("#say"); if (words) words.textContent = said; }
  }

  // Links to copy and to pass on, and what must wait a moment.

  const text = (selector) => { const thing = $(selector); return thing.href || thing.textContent.trim(); };
  document.addEventListener("click", async (event) => {
    const copies = event.target.closest("[data-copy]"), passes = event.target.closest("[data-pass]");
    if (copies) {
      try {
        await navigator.clipboard.writeText(text(copies.dataset.copy));
        const before = copies.textContent;
        copies.textContent = copies.dataset.done;
        setTimeout(() => { copies.textContent = before; }, 2000);
      } catch { getSelection().selectAllChildren($(copies.dataset.copy)); } // not everywhere allowed: it is marked then
    }
    if (passes) navigator.share({ title: passes.dataset.title, url: text(passes.dataset.pass) }).catch(() => {});
  });

  let opens = 0;
  function wait() {
    const begin = $("#begin");
    if (!begin) { opens = 0; return; }
    opens ||= Date.now() + 1000 * Number(begin.dataset.in);
    const left = opens - Date.now();
    if (left > 0) { begin.setAttribute("aria-disabled", "true"); setTimeout(wait, left + 50); } else begin.removeAttribute("aria-disabled");
  }

  // The code of a seat stands after the # of a rejoin link, where no server sees it; nor shall the address keep it.

  function rejoin() {
    const form = $("#rejoin");
    if (!form || location.hash.length < 9) return;
    const [code, seed] = location.hash.slice(1).split(".");
    history.replaceState(null, "", location.pathname);
    $("#code").value = code;
    if (seed && fair()) fair().adopt(form.dataset.table, seed);
    form.requestSubmit();
  }
  function seatLink() {
    const link = $("#seat-link");
    const seed = link && fair()?.seed(link.dataset.table);
    if (!seed) return;
    link.href += "." + seed;
    link.textContent = link.href;
    const picture = window.cinqmilleQr?.picture(link.href, link.dataset.picture);
    if (!picture) return;
    $(".picture").replaceChildren(picture);
    $("#seat-note").hidden = true;
  }

  // A record that was checked, and what this browser noted of its table.

  function compare() {
    for (const line of all("[data-noted]")) {
      const { noted, table, digits, same, differs } = line.dataset;
      const first = noted === "seal" ? fair()?.seal(table) : fair()?.commitment(table);
      if (!first) continue;
      const equal = first === digits;
      line.textContent = equal ? same : differs;
      line.className = equal ? "news" : "refusal";
      line.hidden = false;
      if (equal) continue;
      // Nothing else of the answer may be read: neither what was verified nor what is the same.
      const verdict = $("#verdict");
      verdict.textContent = verdict.dataset.other;
      line.setAttribute("role", "alert");
      for (const other of all(".verdict p")) other.hidden = other !== line;
      return;
    }
  }

  // What is typed on the page of the invitation stays when somebody sits down meanwhile.

  let typed = [];
  document.addEventListener("htmx:before:swap", () => {
    typed = all(".gather input[id]").filter((field) => field.value !== field.defaultValue).map((field) => [field.id, field.value]);
  });
  function retype() {
    for (const [id, value] of typed) { const field = document.getElementById(id); if (field) field.value = value; }
    typed = [];
  }

  function refresh() {
    retype();
    for (const button of all("[data-pass]")) button.hidden = !navigator.share;
    if (lost && $("#state")?.dataset.number !== lost.number) forget();
    share();
    call();
    wait();
  }
  document.addEventListener("htmx:after:swap", refresh);
  document.addEventListener("DOMContentLoaded", () => { rejoin(); seatLink(); compare(); refresh(); });
})();
