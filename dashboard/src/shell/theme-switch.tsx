import { ToggleGroup } from "radix-ui";
import { useState } from "react";
import { chooseTheme, chosenTheme, themes, type Theme } from "./theme.ts";

const names: Record<Theme, string> = { system: "Auto", light: "Light", dark: "Dark" };

export function ThemeSwitch() {
  const [theme, choose] = useState(chosenTheme);
  return (
    <ToggleGroup.Root
      type="single"
      value={theme}
      aria-label="Theme"
      className="inline-flex shrink-0 rounded-md border border-line bg-sheet p-0.5"
      onValueChange={(value) => {
        const next = themes.find((one) => one === value);
        if (next === undefined) return;
        chooseTheme(next);
        choose(next);
      }}
    >
      {themes.map((one) => (
        <ToggleGroup.Item
          key={one}
          value={one}
          className="rounded px-2 py-0.5 text-xs whitespace-nowrap text-faint hover:text-ink data-[state=on]:bg-raised data-[state=on]:text-ink"
        >
          {names[one]}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
