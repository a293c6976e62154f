// Shows a helpful page when the server is away; everything else comes from the server.
// The server fills in the version and the addresses of the files, which change with their content.
const CACHE = "away-" + VERSION, AWAY = "/away", LOOKS = LOOKS_OF_AWAY;

self.addEventListener("install", (event) => event.waitUntil(
  caches.open(CACHE).then((cache) => cache.addAll([AWAY, ...LOOKS])).then(() => self.skipWaiting())));

self.addEventListener("activate", (event) => event.waitUntil(
  caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
    .then(() => self.clients.claim())));

// The page is kept in the language that was read last.
async function keep(language) {
  const cache = await caches.open(CACHE), kept = await cache.match(AWAY);
  if (!kept || kept.headers.get("Content-Language") !== language) await cache.put(AWAY, await fetch(AWAY, { cache: "reload" }));
}

self.addEventListener("fetch", (event) => {
  const request = event.request, place = new URL(request.url), path = place.pathname + place.search;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).then((answer) => {
      const language = answer.headers.get("Content-Language");
      if (language) event.waitUntil(keep(language).catch(() => {}));
      return answer;
    }, () => caches.match(AWAY)));
  } else if (LOOKS.includes(path)) {
    event.respondWith(caches.match(path).then((kept) => kept || fetch(request)));
  }
});
