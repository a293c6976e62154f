// The links that a seat adds to its rolls (docs/fair.md): made here, so that the server knows none before it is shown.
// What this browser keeps of a table is its seed, and the commitment and the seal that were seen first. Where nothing can be kept every
// answer is null, and the seat plays without links.
(() => {
  "use strict";
  const LAST = 2000;
  const HEX = /^[0-9a-f]{64}$/;
  const chains = new Map();

  const place = (table, what) => `cinqmille-fair-${what}-${table}`;

  function kept(table, what) {
    try {
      const found = localStorage.getItem(place(table, what));
      return HEX.test(found) ? found : null;
    } catch { return null; }
  }

  function keep(table, what, value) {
    if (!HEX.test(value)) return null;
    try { localStorage.setItem(place(table, what), value); } catch { return null; }
    return kept(table, what);
  }

  // crypto.subtle is missing on plain http, as in one's own Wi-Fi; random values are not.
  function random() {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  const bytes = (hex) => hex.match(/../g).map((pair) => parseInt(pair, 16));

  // The last link is the seed; each one before it is the hash of the bytes of the next.
  function chain(seed) {
    if (!chains.has(seed)) {
      const links = new Array(LAST + 1);
      links[LAST] = seed;
      for (let number = LAST; number > 0; number--) links[number - 1] = sha256(bytes(links[number]));
      chains.set(seed, links);
    }
    return chains.get(seed);
  }

  const seed = (table) => kept(table, "seed");

  function link(table, number) {
    const own = seed(table);
    return own && Number.isInteger(number) && number >= 0 && number <= LAST ? chain(own)[number] : null;
  }

  window.cinqmilleFair = {
    // The first link of this browser's chain for a table; the chain is made when there is none.
    anchor: (table) => seed(table) || keep(table, "seed", random()) ? link(table, 0) : null,
    // Link 0 to 2000 of the chain; null where there is no chain, or no such link.
    link,
    // The commitment that was seen first, or null.
    commitment: (table) => kept(table, "commitment"),
    // Keep a commitment unless there is one; the answer is the one that is kept, so another answer than what was given
    // says that the server committed to something else before.
    note: (table, commitment) => kept(table, "commitment") || keep(table, "commitment", commitment),
    // The seal that was seen first when the game was over, or null; and keep one, as above.
    seal: (table) => kept(table, "seal"),
    noteSeal: (table, seal) => kept(table, "seal") || keep(table, "seal", seal),
    // The seed, to take the seat along to another device; whoever has it can make every link.
    seed,
    // Go on with the seed of another device; the answer is what is kept now.
    adopt: (table, value) => keep(table, "seed", value),
  };
})();
