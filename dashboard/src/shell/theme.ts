// Theme: light, dark, or as the machine has it. It is a mark on the page's root that styles.css reads.

const KEY = "aos.theme";
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const machine = matchMedia("(prefers-color-scheme: dark)");

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return themes.find((theme) => theme === kept) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  apply();
}

/** Before anything is drawn, and whenever the machine changes its mind. */
export function followTheme(): void {
  apply();
  machine.addEventListener("change", apply);
}

function apply(): void {
  const chosen = chosenTheme();
  const isDark = chosen === "dark" || (chosen === "system" && machine.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}
