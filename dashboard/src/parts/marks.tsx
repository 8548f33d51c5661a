// Marks: the state of a run, and the colour of what it has read. Never by colour alone.

import { colours, type Integrity, type ProcessState, type WaitKind } from "@aos/protocol/words";

const stateInk: Record<ProcessState, string> = {
  pending: "text-faint",
  running: "text-accent",
  waiting: "text-wait",
  paused: "text-faint",
  completed: "text-good",
  failed: "text-bad",
  killed: "text-bad",
};

/** What it waits for, as people say it. */
const waits: Record<WaitKind, string> = {
  model: "a model",
  tool: "a tool",
  message: "a message",
  child: "a child",
  approval: "a person",
  timer: "a timer",
  slot: "its turn",
};

export function StateMark(props: { state: ProcessState; waitingOn?: WaitKind | null }) {
  const { state, waitingOn } = props;
  const isWaiting = state === "waiting" && waitingOn !== null && waitingOn !== undefined;
  return (
    <span className="inline-flex items-baseline gap-2 whitespace-nowrap">
      <span
        className={`size-2 shrink-0 translate-y-[-1px] rounded-full bg-current ${stateInk[state]}`}
        aria-hidden="true"
      />
      <span>{isWaiting ? `waits for ${waits[waitingOn]}` : state}</span>
    </span>
  );
}

const labelInk = {
  BLUE: "text-label-blue",
  YELLOW: "text-label-yellow",
  RED: "text-label-red",
} as const;

export type LabelColour = keyof typeof labelInk;

/** `untrusted/confidential #tag` → RED. */
export function labelColour(label: string): LabelColour | undefined {
  const integrity = label.split(/[/ #]/, 1)[0] ?? "";
  return Object.hasOwn(colours, integrity) ? colours[integrity as Integrity] : undefined;
}

export function ColourMark({ colour, label }: { colour: LabelColour; label?: string }) {
  return (
    <span
      className={`inline-flex items-baseline gap-1.5 font-mono text-xs leading-[1.3125rem] font-medium whitespace-nowrap ${labelInk[colour]}`}
      title={label ?? colour}
    >
      <span className="size-2 shrink-0 rounded-[2px] bg-current" aria-hidden="true" />
      {colour}
    </span>
  );
}
