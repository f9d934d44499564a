// Keeps the page's files, so that it works without a network once it was loaded. Names of files contain their hashes.
const NAME = "fairlane-live";
self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keepAll());
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  event.respondWith(answer(request));
});

async function keepAll() {
  const names = await (await fetch("./files.json")).json();
  await (await caches.open(NAME)).addAll(names);
}

async function answer(request) {
  const cache = await caches.open(NAME);
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await cache.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
