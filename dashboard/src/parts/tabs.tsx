// Tabs: the parts of a view, as links: which one is shown is in the address.

import type { ReactNode } from "react";

export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {children}
    </nav>
  );
}

/** For a link in it. */
export const tabStyle = (isShown: boolean): string =>
  `-mb-px border-b-2 px-3 py-2 font-medium whitespace-nowrap ${
    isShown ? "border-accent text-ink" : "border-transparent text-soft hover:text-ink"
  }`;
