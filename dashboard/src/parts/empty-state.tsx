// Shown for an empty list, with what would fill it.

import type { ReactNode } from "react";

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-14 text-center">
      <p className="font-medium">{title}</p>
      {children === undefined ? null : <div className="max-w-md text-soft">{children}</div>}
    </div>
  );
}

export function CommandLine({ children }: { children: string }) {
  return (
    <code className="rounded bg-raised px-1.5 py-0.5 font-mono text-[13px] text-ink">
      {children}
    </code>
  );
}
