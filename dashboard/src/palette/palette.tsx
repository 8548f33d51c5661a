// Palette: ⌘K or Ctrl+K finds a view, an agent or a run by a few letters.

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState, type KeyboardEvent } from "react";
import { agents as agentsQuery } from "../api/reports.ts";
import { runList } from "../api/run-list.ts";
import { ModalDialog } from "../parts/dialog.tsx";
import { inputStyle } from "../parts/field.tsx";
import { findTargets, targetsOf, type PaletteTarget } from "./targets.ts";

export function PaletteButton() {
  const [isOpen, open] = useState(false);
  useEffect(() => {
    const hear = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open((was) => !was);
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
  return (
    <>
      <button
        type="button"
        className="flex w-full items-center justify-between rounded-md border border-line bg-sheet px-2.5 py-1 text-[13px] text-faint hover:text-ink"
        onClick={() => open(true)}
      >
        Go to …<kbd className="font-mono text-xs">⌘K</kbd>
      </button>
      <ModalDialog title="Go to" isOpen={isOpen} onClose={() => open(false)}>
        <Palette onClose={() => open(false)} />
      </ModalDialog>
    </>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [words, write] = useState("");
  const [chosen, choose] = useState(0);
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data } = useQuery(runList());
  const found = findTargets(targetsOf({ agents, runs: data?.rows ?? [] }), words);
  const go = (target: PaletteTarget | undefined) => {
    if (target === undefined) return;
    onClose();
    void navigate({ to: target.path } as never);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") go(found[chosen]);
    else if (step !== undefined)
      choose((was) => Math.max(0, Math.min(found.length - 1, was + step)));
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex flex-col gap-3">
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] === undefined ? undefined : `palette-${chosen}`}
        aria-label="A view, an agent, a run"
        placeholder="A view, an agent, a run"
        value={words}
        className={inputStyle}
        onChange={({ target }) => {
          write(target.value);
          choose(0);
        }}
        onKeyDown={press}
      />
      <ul id="palette-list" role="listbox" aria-label="Found" className="max-h-80 overflow-y-auto">
        {found.map((target, index) => (
          // The keys are heard by the input, which keeps the focus.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <li
            key={target.path}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="flex cursor-pointer items-baseline justify-between gap-4 rounded-md px-3 py-1.5 aria-selected:bg-raised"
            onClick={() => go(target)}
          >
            <span>{target.name}</span>
            <span className="text-xs text-faint">{target.note}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
