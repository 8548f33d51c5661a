// The script of the documentation: search, and the theme that the page of Agent OS has too.

const root = document.documentElement.dataset.root;
const input = document.querySelector(".search input");
const results = document.querySelector("#results");
const themeButton = document.querySelector(".theme");

// ---- theme: the same choice as on the page (dashboard/src/shell/theme.ts)
const KEY = "aos.theme";
const themes = ["system", "light", "dark"];
const machine = matchMedia("(prefers-color-scheme: dark)");
const remembered = () => {
  try {
    return localStorage.getItem(KEY) ?? "system";
  } catch {
    return "system"; // files have no storage in some browsers
  }
};
let theme = themes.includes(remembered()) ? remembered() : "system";
const applyTheme = () => {
  const isDark = theme === "dark" || (theme === "system" && machine.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  themeButton.textContent = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[
    theme
  ];
};
machine.addEventListener("change", applyTheme);
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this page.
  }
  applyTheme();
});
applyTheme();

// ---- navigation: small screens begin with the text
const nav = document.querySelector("nav");
const pages = document.createElement("details");
const summary = document.createElement("summary");
summary.textContent = "Pages";
pages.append(summary, ...globalThis.docsPages.flatMap(chapterOf));
pages.open = !matchMedia("(max-width: 60rem)").matches;
nav.replaceChildren(pages);

function chapterOf([title, rows]) {
  const heading = document.createElement("h2");
  heading.textContent = title;
  const list = document.createElement("ul");
  for (const [name, address] of rows) {
    const link = document.createElement("a");
    link.href = `${root}/${address}`;
    link.textContent = name;
    if (address === nav.dataset.page) link.setAttribute("aria-current", "page");
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  return [heading, list];
}

// ---- search
input.disabled = false;
let index;
const loadIndex = () => (index ??= loadScripts(["assets/minisearch.js", "assets/search-index.js"]));

async function loadScripts(names) {
  for (const name of names)
    await new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${root}/${name}`;
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => reject(new Error(`${name} did not load`)));
      document.head.append(script);
    });
  const { options, index } = globalThis.docsIndex;
  return globalThis.MiniSearch.loadJS(index, options);
}

async function search() {
  const query = input.value.trim();
  if (query === "") return show([]);
  const found = (await loadIndex()).search(query, {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
    boost: { title: 4, heading: 3 },
  });
  if (query === input.value.trim()) show(found.slice(0, 12), query);
}

function show(found, query = "") {
  results.hidden = query === "";
  results.replaceChildren(
    ...found.map(({ id, title, heading, lead }) => {
      const link = document.createElement("a");
      link.href = `${root}/${id}`;
      const name = document.createElement("strong");
      name.textContent = heading === "" ? title : `${title}: ${heading}`;
      const words = document.createElement("span");
      words.textContent = lead;
      link.append(name, words);
      return link;
    }),
  );
  if (query !== "" && found.length === 0) {
    const none = document.createElement("p");
    none.textContent = `Nothing has “${query}”.`;
    results.append(none);
  }
}

input.addEventListener("input", () => void search());
input.addEventListener("focus", () => void loadIndex());
document.addEventListener("keydown", (event) => {
  const inField = event.target instanceof HTMLInputElement;
  if (event.key === "/" && !inField) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape") {
    show([]);
    input.blur();
  }
  if (results.hidden || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
  const links = [...results.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  (at < 0 ? input : links[Math.min(at, links.length - 1)])?.focus();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) results.hidden = true;
});
