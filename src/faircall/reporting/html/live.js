"use strict";
// A page of `faircall view`: asks for its own changing part again, often while something is in progress.
(() => {
  const part = document.getElementById("live");
  if (!part) return;
  const isLive = () => part.dataset.live === "yes";
  let shown = null, failures = 0;
  async function refresh() {
    const started = performance.now();
    try {
      const answer = await fetch(part.dataset.source, { cache: "no-store", redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      const text = await answer.text();
      failures = 0;
      if (text !== shown) {
        shown = text;
        const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("live");
        part.replaceChildren(...fresh.childNodes);
        part.dataset.live = fresh.dataset.live;
      }
    } catch {
      failures += 1;
    }
    // Asking costs the machine that generates: never more than a tenth of its time.
    const rest = Math.max(pause() * Math.min(8, 1 + failures), 10 * (performance.now() - started));
    if (failures < 30) setTimeout(refresh, rest);
    else part.prepend("The server has stopped. ");
  }
  const pause = () => (isLive() ? 1500 : 6000);
  setTimeout(refresh, pause());
})();
