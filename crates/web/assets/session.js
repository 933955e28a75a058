// A session: windows are loaded when they come near and dropped when they are far; sub-agents open in place; new lines follow.
const KEEP = 8;
const motion = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";

const talkOf = (element) => element.closest(".talk");
const address = (talk, path) => talk.dataset.base + path + (talk.dataset.query ? "?" + talk.dataset.query : "");

function reserve(section) {
  section.style.minHeight = section.dataset.height + "px";
}
const loading = new Map();
function load(section) {
  if ("ready" in section.dataset) return Promise.resolve();
  if (loading.has(section)) return loading.get(section);
  const work = fragment(address(talkOf(section), "/window/" + section.dataset.window))
    .then((html) => {
      section.innerHTML = html;
      section.dataset.ready = "";
      section.style.minHeight = "";
      prepare(section);
      section.dataset.height = section.offsetHeight;
    })
    .catch(() => { section.textContent = "This part could not be loaded. Reload the page."; section.dataset.ready = ""; })
    .finally(() => loading.delete(section));
  loading.set(section, work);
  return work;
}
function drop(section) {
  if (!("ready" in section.dataset) || section.contains(document.activeElement) || section.querySelector("details.file[open]")) return;
  section.dataset.height = section.offsetHeight;
  reserve(section);
  section.replaceChildren();
  delete section.dataset.ready;
}
// A window that is far enough away is dropped; the observer has told which are near.
const near = new Set();
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) { near.add(entry.target); load(entry.target); } else near.delete(entry.target);
  }
  const shown = [...near].map((section) => Number(section.dataset.window));
  if (!shown.length) return;
  const [low, high] = [Math.min(...shown) - KEEP, Math.max(...shown) + KEEP];
  for (const section of document.querySelectorAll("main > .talk > .window[data-ready]")) {
    const at = Number(section.dataset.window);
    if (at < low || at > high) drop(section);
  }
}, { rootMargin: "1500px 0px" });

function prepare(element) {
  for (const pre of element.querySelectorAll("pre:not(.nr)")) {
    if (pre.previousElementSibling?.matches("button.copy") || pre.textContent.length < 2 || pre.closest(".diff")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy over";
    button.textContent = "Copy";
    pre.before(button);
    if (pre.scrollWidth > pre.clientWidth) pre.tabIndex = 0;
  }
  markFound(element);
  for (const wide of element.querySelectorAll(".file, .diff, dd, table")) if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  for (const place of element.querySelectorAll("[id]")) {
    const line = lineOf(place);
    // A result belongs to its call, which has a link.
    if (!line || place.parentElement.closest(".tool")) continue;
    const link = document.createElement("a");
    link.className = "place";
    link.href = "#" + place.id;
    link.textContent = "L" + line;
    link.title = "Link to line " + line + "; raw record: r";
    // Not inside a summary, which is a button itself.
    const summary = place.matches("details") && place.querySelector(":scope > summary");
    const time = place.querySelector("time");
    const fork = forkOf(place);
    if (fork) {
      const button = document.createElement("a");
      button.className = "place fork";
      button.href = fork;
      button.textContent = "Fork here";
      button.setAttribute("aria-label", "Fork here, line " + line);
      button.title = "A new session that ends with this record; shows the plan first (f)";
      queueMicrotask(() => link.before(button));
    }
    if (summary) summary.after(link); else if (time && time.closest("[id]") === place) time.before(link); else place.prepend(link);
  }
}
// The words that were searched for, marked without touching the text.
const wanted = (new URLSearchParams(location.search).get("q") || "").toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) || [];
const found = wanted.length && globalThis.Highlight ? new Highlight() : null;
if (found) CSS.highlights.set("found", found);
function markFound(element) {
  if (!found) return;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.toLowerCase();
    for (const word of wanted) {
      for (let at = text.indexOf(word); at >= 0 && text.length === texts.currentNode.length; at = text.indexOf(word, at + word.length)) {
        const range = new StaticRange({ startContainer: texts.currentNode, startOffset: at, endContainer: texts.currentNode, endOffset: at + word.length });
        found.add(range);
      }
    }
  }
}
// Where a fork that ends with a record is planned; sub-agents and pages for others have none.
function forkOf(place) {
  const talk = place && talkOf(place);
  const uuid = place?.dataset.uuid;
  if (!uuid || !talk || !("forks" in talk.dataset)) return null;
  const query = new URLSearchParams({ at: uuid });
  const slug = new URLSearchParams(talk.dataset.query).get("in");
  if (slug) query.set("in", slug);
  return talk.dataset.base + "/change/fork?" + query;
}
const lineOf = (element) => /(?:^|-)L(\d+)$/.exec(element?.id || "")?.[1];

function start(talk) {
  for (const section of talk.querySelectorAll(":scope > .window")) {
    if ("ready" in section.dataset) prepare(section); else reserve(section);
    watcher.observe(section);
  }
}

async function goTo(hash, focus) {
  const id = decodeURIComponent(hash.slice(1));
  const line = /(?:^|-)L(\d+)$/.exec(id)?.[1];
  const talk = document.querySelector("main > .talk[data-query]");
  if (!talk || !id) return;
  let place = byId(id);
  if (!place && line) {
    const answer = await fetch(address(talk, "/place/" + line));
    if (!answer.ok) { say("Line " + line + " is not in this conversation"); return; }
    const at = await answer.json();
    const section = talk.querySelector(`:scope > .window[data-window="${at.window}"]`);
    await load(section);
    place = byId(id) || byId(id.replace(/L\d+$/, "L" + at.line)) || section;
  }
  if (!place) return;
  for (let details = place.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
  choose(place, focus);
}

let chosen = null;
function choose(place, focus = true) {
  chosen?.classList.remove("current");
  chosen = place;
  place.classList.add("current");
  place.scrollIntoView({ block: "start", behavior: "auto" });
  if (focus) { if (!place.hasAttribute("tabindex")) place.tabIndex = -1; place.focus({ preventScroll: true }); }
}
// Items in the order of the page; those of folded parts are passed over.
function items(selector) {
  return [...document.querySelectorAll("main > .talk " + selector)].filter((item) => lineOf(item) && item.offsetParent && !item.parentElement.closest(".tool, details:not([open])"));
}
async function step(selector, by) {
  const all = items(selector);
  let at = chosen?.isConnected ? all.indexOf(chosen) : -1;
  if (at < 0) {
    const top = chosen?.isConnected ? chosen.getBoundingClientRect().top : 60;
    at = by > 0 ? all.findIndex((item) => item.getBoundingClientRect().top > top + 1) - 1 : all.findLastIndex((item) => item.getBoundingClientRect().top < top - 1) + 1;
    if (by > 0 && at === -2) at = all.length - 1;
  }
  const next = all[at + by];
  if (next) { choose(next); return; }
  // The next one is in a window that is not there yet.
  const sections = [...document.querySelectorAll("main > .talk > .window")];
  const here = sections.findIndex((section) => section.contains(chosen || all[0]));
  const waiting = by > 0 ? sections.slice(here + 1).find((section) => !("ready" in section.dataset)) : sections.slice(0, Math.max(here, 0)).findLast((section) => !("ready" in section.dataset));
  if (waiting) { await load(waiting); const more = items(selector); const again = more.indexOf(chosen); if (more[again + by]) choose(more[again + by]); }
}
async function showRaw() {
  const line = lineOf(chosen);
  const talk = chosen && talkOf(chosen);
  if (!line || !talk) { say("Choose a message first: j"); return; }
  byId("raw-body").innerHTML = await fragment(address(talk, "/raw/" + line)).catch(() => "This record cannot be read.");
  byId("raw").showModal();
}

const talk = document.querySelector("main > .talk[data-query]");
if (talk) {
  start(talk);
  // A sub-agent is loaded when it is opened, in the page or in another sub-agent.
  document.addEventListener("toggle", async (event) => {
    const details = event.target;
    if (!details.matches?.("details[data-src]") || !details.open || details.dataset.ready) return;
    details.dataset.ready = "1";
    const inside = details.querySelector(".inside");
    try {
      inside.innerHTML = await fragment(details.dataset.src);
      inside.querySelectorAll(":scope > .talk").forEach(start);
    } catch { inside.textContent = "This part cannot be read."; }
  }, true);
  addEventListener("hashchange", () => goTo(location.hash));
  if (location.hash) goTo(location.hash, false);
  keys.set("j", () => step("[id]", 1)).set("k", () => step("[id]", -1));
  keys.set("n", () => step(".prompt", 1)).set("p", () => step(".prompt", -1));
  keys.set("g", () => scrollTo({ top: 0, behavior: motion })).set("G", () => scrollTo({ top: document.body.scrollHeight, behavior: motion }));
  keys.set("r", showRaw);
  keys.set("f", () => { const fork = forkOf(chosen); if (fork) location.href = fork; else say("Choose a message first: j"); });
  keys.set("o", () => { const details = chosen?.matches("details") ? chosen : chosen?.querySelector("details"); if (details) details.open = !details.open; });
  keys.set("e", () => {
    const all = [...document.querySelectorAll("main > .talk details:not(.file)")];
    const open = !all.some((details) => details.open);
    all.forEach((details) => { details.open = open; });
  });
  document.addEventListener("click", (event) => {
    const item = event.target.closest(".talk [id]");
    if (item && lineOf(item) && !event.target.closest("a, button, summary")) { chosen?.classList.remove("current"); chosen = item; item.classList.add("current"); }
  });
  // What is written from now on.
  if (!("still" in talk.dataset) && !new URLSearchParams(talk.dataset.query).has("branch")) {
    const live = talk.querySelector(":scope > .live");
    let events = null;
    let last = "";
    let isOver = false;
    const stop = (text) => { isOver = true; events.close(); say(text); };
    const follow = () => {
      if (isOver || (events && events.readyState !== EventSource.CLOSED)) return;
      // A lost connection is taken up where it ended: the browser repeats the id of the last event, and a new one names it.
      events = new EventSource(address(talk, "/events") + (last && "&after=" + last));
      events.addEventListener("open", () => { live.dataset.open = ""; });
      events.addEventListener("items", (event) => {
        last = event.lastEventId;
        const isAtEnd = innerHeight + scrollY > document.body.scrollHeight - 200;
        const part = document.createElement("div");
        part.innerHTML = event.data;
        live.append(part);
        prepare(part);
        if (isAtEnd) scrollTo({ top: document.body.scrollHeight });
      });
      events.addEventListener("rewritten", () => { stop("The session was rewritten: reload the page"); live.textContent = "The session was rewritten. Reload the page."; });
      events.addEventListener("error", () => { if (events.readyState === EventSource.CLOSED) say("New lines do not follow any more: reload the page"); });
    };
    follow();
    whileVisible(follow, () => events.close());
  }
}
