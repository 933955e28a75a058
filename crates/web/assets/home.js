// The list of sessions: what is typed is found at once, and a change of the store shows by itself.
const list = byId("list");
const filters = byId("filters");
if (list && filters) {
  let asked = 0;
  const refresh = async (isTyped) => {
    const mine = ++asked;
    const query = new URLSearchParams([...new FormData(filters)].filter(([, value]) => value));
    try {
      const html = await fragment("/sessions?" + query);
      if (mine !== asked) return;
      list.innerHTML = html;
      if (isTyped) {
        history.replaceState(null, "", query.size ? "/?" + query : "/");
        say(list.querySelector(".facts")?.textContent || "");
      }
    } catch { say("The list could not be loaded"); }
  };
  let timer = 0;
  const later = () => { clearTimeout(timer); timer = setTimeout(() => refresh(true), 120); };
  filters.addEventListener("input", later);
  filters.addEventListener("submit", (event) => { event.preventDefault(); refresh(true); });
  let events = null;
  const follow = () => {
    if (events && events.readyState !== EventSource.CLOSED) return;
    // What changed while nobody looked is not told again.
    if (events) refresh(false);
    events = new EventSource(list.dataset.live);
    events.addEventListener("open", () => { list.dataset.open = ""; });
    events.addEventListener("changed", () => refresh(false));
  };
  if (list.dataset.live) {
    follow();
    whileVisible(follow, () => events.close());
  }
}
