// SavedViews: choices of runs that this browser keeps under a name.

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { inputStyle } from "../parts/field.tsx";
import type { RunSearch } from "./filters.ts";

const STORED_AS = "aos.views.runs";

interface SavedView {
  readonly name: string;
  readonly search: RunSearch;
}

export function SavedViews({ search }: { search: RunSearch }) {
  const [views, setViews] = useState(readViews);
  const [name, write] = useState<string>();
  const keep = (next: readonly SavedView[]) => {
    setViews(next);
    localStorage.setItem(STORED_AS, JSON.stringify(next));
  };
  const canSave = Object.values(search).some((part) => part !== undefined);
  if (views.length === 0 && !canSave) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-[13px]" role="group" aria-label="Views">
      {views.map((view) => (
        <span key={view.name} className="flex items-center rounded-md border border-line bg-sheet">
          <Link to="/runs" search={view.search as never} className="px-2.5 py-1 hover:text-accent">
            {view.name}
          </Link>
          <button
            type="button"
            aria-label={`Remove the view ${view.name}`}
            className="px-2 py-1 text-faint hover:text-ink"
            onClick={() => keep(views.filter((other) => other !== view))}
          >
            ×
          </button>
        </span>
      ))}
      {!canSave ? null : name === undefined ? (
        <button type="button" className="text-soft hover:text-ink" onClick={() => write("")}>
          Save this view
        </button>
      ) : (
        <form
          className="flex items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const given = name.trim();
            if (given === "") return;
            keep([...views.filter((view) => view.name !== given), { name: given, search }]);
            write(undefined);
          }}
        >
          <input
            autoFocus
            value={name}
            maxLength={40}
            aria-label="Name of the view"
            className={`${inputStyle} h-8 w-40`}
            onChange={({ target }) => write(target.value)}
          />
          <Button type="submit" className="h-8" disabled={name.trim() === ""}>
            Save
          </Button>
        </form>
      )}
    </div>
  );
}

function readViews(): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? "[]");
    return Array.isArray(views) ? (views as SavedView[]) : [];
  } catch {
    return []; // what somebody else wrote there
  }
}
