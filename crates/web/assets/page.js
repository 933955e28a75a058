// All pages: theme, help, copy buttons, search box, what is said aloud.
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const say = (text) => { byId("said").textContent = text; };

const themes = ["", "light", "dark"];
function setTheme(theme) {
  if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
}
setTheme(localStorage.getItem("annals-theme") ?? root.dataset.theme ?? "");
function nextTheme() {
  const theme = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
  localStorage.setItem("annals-theme", theme);
  setTheme(theme);
  say(theme ? "Theme: " + theme : "Theme: as the system");
}
// Diffs side by side, where the page is wide enough: remembered by this browser.
const side = byId("side");
function setSide(isSide) {
  root.dataset.diff = isSide ? "side" : "";
  side?.setAttribute("aria-pressed", String(isSide));
}
setSide(localStorage.getItem("annals-diff") === "side");
function switchSide() {
  const isSide = root.dataset.diff !== "side";
  localStorage.setItem("annals-diff", isSide ? "side" : "");
  setSide(isSide);
  say(isSide ? "Diffs side by side" : "Diffs unified");
}
side?.addEventListener("click", switchSide);
byId("theme").addEventListener("click", nextTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1200);
  } catch { say("The browser does not allow copying"); }
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const from = button.dataset.copyFrom ? document.querySelector(button.dataset.copyFrom) : button.nextElementSibling;
  copy(button.dataset.copy ?? from?.textContent ?? "", button);
});

async function fragment(address) {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok) throw new Error(answer.status + " " + address);
  return answer.text();
}

// A browser has six connections for all pages of a server: a page that nobody sees gives its own back.
function whileVisible(open, close) {
  addEventListener("pagehide", close);
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
}

// What a key does, unless one is typing.
const keys = new Map([
  ["?", () => byId("keys").showModal()],
  ["t", nextTheme],
  ["d", switchSide],
  ["/", () => (document.querySelector("main input[type=search]") || byId("find")).focus()],
]);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Escape") document.activeElement?.blur();
  if (event.target.closest("input, select, textarea, dialog")) return;
  const act = keys.get(event.key);
  if (act) { event.preventDefault(); act(); }
});
