(() => {
  const root = document.documentElement, talk = document.getElementById("talk");
  const make = (label, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => act(button));
    return button;
  };
  const bar = document.createElement("div");
  bar.className = "bar";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "View");
  const folds = (open) => talk.querySelectorAll("details").forEach((fold) => { fold.open = open; });
  bar.append(
    make("Fold all", () => folds(false)),
    make("Unfold all", () => folds(true)),
    make("Changes side by side", (button) => {
      const side = root.dataset.diff !== "side";
      root.dataset.diff = side ? "side" : "";
      button.setAttribute("aria-pressed", String(side));
    }),
    make("Light or dark", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
    }),
  );
  talk.before(bar);
  const copy = (pre) => {
    const box = document.createElement("div");
    box.className = "copied";
    pre.replaceWith(box);
    box.append(pre, make("Copy", (button) => {
      navigator.clipboard.writeText(pre.textContent).then(
        () => { button.textContent = "Copied"; },
        () => { button.textContent = "Cannot copy"; },
      );
    }));
  };
  talk.querySelectorAll("pre.code").forEach(copy);
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  const turns = [...talk.children].filter((child) => child.matches(".prompt"));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const step = { j: 1, k: -1 }[event.key];
    if (!step || !turns.length) return;
    const tops = turns.map((turn) => Math.round(turn.getBoundingClientRect().top));
    const edge = bar.offsetHeight + 8;
    const next = step > 0 ? tops.findIndex((top) => top > edge + 1) : tops.findLastIndex((top) => top < edge - 1);
    if (next < 0) return;
    scrollBy(0, tops[next] - edge);
  });
})();
