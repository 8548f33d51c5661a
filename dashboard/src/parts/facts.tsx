// Facts: figures side by side, each with its name and, below, what makes it readable.

import type { ReactNode } from "react";

export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-lg border border-line bg-sheet sm:grid-cols-3 lg:grid-cols-6">
      {children}
    </dl>
  );
}

export function FactItem({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="-mb-px -mr-px flex flex-col gap-1 border-r border-b border-line px-4 py-3">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="figures flex flex-col">{children}</dd>
    </div>
  );
}

export const FactNote = ({ children }: { children: ReactNode }) => (
  <span className="text-xs text-faint">{children}</span>
);

/** Across the whole width, below the others. */
export const FactLine = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="col-span-full flex flex-wrap items-baseline gap-x-4 border-t border-line px-4 py-2.5 text-[13px]">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="text-soft">{children}</dd>
  </div>
);
