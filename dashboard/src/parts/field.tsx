// Field: an input with its name above it, and what to write below.

import type { ReactNode } from "react";

export const inputStyle =
  "w-full rounded-md border border-line bg-ground px-3 py-2 placeholder:text-faint";

export function Field(props: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <label className="flex flex-col gap-1.5">
      <span className="text-[13px] font-medium">{props.name}</span>
      {props.children}
      {props.note === undefined ? null : <span className="text-xs text-faint">{props.note}</span>}
    </label>
  );
}
