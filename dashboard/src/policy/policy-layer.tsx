// PolicyLayer: a layer of the policy as a table of its rules.

import { DataTable, type TableColumn } from "../parts/data-table.tsx";
import { ValueView } from "../parts/value.tsx";
import { Section } from "../run/section.tsx";

export interface PolicyLayerReport {
  readonly name: string;
  readonly origin: string;
  readonly mode: string;
  readonly rules: readonly RuleReport[];
}

interface RuleReport {
  readonly id: string;
  readonly effect: string;
  readonly written: unknown;
}

const inks: Readonly<Record<string, string>> = {
  allow: "text-good",
  ask: "text-wait",
  deny: "text-bad",
  kill: "text-bad",
};

const columns: readonly TableColumn<RuleReport>[] = [
  { name: "Rule", cell: ({ id }) => <span className="font-mono text-[13px]">{id}</span> },
  {
    name: "Verdict",
    cell: ({ effect }) => <span className={`font-medium ${inks[effect] ?? ""}`}>{effect}</span>,
  },
  {
    name: "As written",
    from: "sm",
    cell: ({ written }) => (
      <details>
        <summary className="text-[13px] text-soft">show</summary>
        <ValueView of={written} />
      </details>
    ),
  },
];

export const PolicyLayer = ({ layer }: { layer: PolicyLayerReport }) => (
  <Section
    title={`${layer.name}, ${layer.origin}${layer.mode === "enforce" ? "" : `, ${layer.mode}`}`}
  >
    <DataTable
      label={`Rules of ${layer.name}`}
      columns={columns}
      rows={layer.rules}
      keyOf={({ id }) => id}
    />
  </Section>
);
