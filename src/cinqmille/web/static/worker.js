// Shows a helpful page when the server is away; everything else comes from the server.
const CACHE = "away-2", AWAY = "/away", LOOKS = ["/static/app.css", "/static/pages.css", "/static/dice.svg", "/static/icon.svg"];

self.addEventListener("install", (event) => event.waitUntil(
  caches.open(CACHE).then((cache) => cache.addAll([AWAY, ...LOOKS])).then(() => self.skipWaiting())));

self.addEventListener("activate", (event) => event.waitUntil(
  caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
    .then(() => self.clients.claim())));

// The page is kept in the language that was read last, with the looks of the version that was seen last.
async function keep(language) {
  const cache = await caches.open(CACHE), kept = await cache.match(AWAY);
  if (!kept || kept.headers.get("Content-Language") !== language) await cache.put(AWAY, await fetch(AWAY, { cache: "reload" }));
}

self.addEventListener("fetch", (event) => {
  const request = event.request, path = new URL(request.url).pathname;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).then((answer) => {
      const language = answer.headers.get("Content-Language");
      if (language) event.waitUntil(keep(language).catch(() => {}));
      return answer;
    }, () => caches.match(AWAY)));
  } else if (LOOKS.includes(path)) {
    event.respondWith(fetch(request).then((answer) => {
      const copy = answer.clone();
      if (answer.ok) event.waitUntil(caches.open(CACHE).then((cache) => cache.put(path, copy)));
      return answer;
    }, () => caches.match(path)));
  }
});
