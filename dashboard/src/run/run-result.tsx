// What came of a run: its output, or its error and what to do about it.

import type { ProcessDetail } from "@aos/protocol/words";
import { CommandLine } from "../parts/empty-state.tsx";
import { ValueView } from "../parts/value.tsx";
import { Section } from "./section.tsx";

export function RunResult({ run: { output, error, pid } }: { run: ProcessDetail }) {
  if (error !== null) {
    return (
      <Section title="Error">
        <div className="flex flex-col gap-2 rounded-lg border border-line bg-sheet p-4">
          <p>
            <span className="mr-2 font-mono text-[13px] font-medium text-bad">{error.code}</span>
            {error.message}
          </p>
          {error.hint === undefined ? null : <p className="text-soft">{error.hint}</p>}
          {error.detail === undefined ? null : <ValueView of={error.detail} />}
          <p className="text-[13px] text-faint">
            Details: <CommandLine>{`aos why ${pid}`}</CommandLine>
          </p>
        </div>
      </Section>
    );
  }
  return (
    <Section title="Output">
      {output === null || output === "" ? (
        <p className="text-faint">No output.</p>
      ) : typeof output === "string" ? (
        <p className="rounded-lg border border-line bg-sheet px-4 py-3 whitespace-pre-wrap">
          {output}
        </p>
      ) : (
        <ValueView of={output} />
      )}
    </Section>
  );
}
