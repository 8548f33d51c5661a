import type { ReactNode } from "react";

/** A named part of a step. */
export function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="text-xs text-faint">{name}</h3>
      {children}
    </div>
  );
}
