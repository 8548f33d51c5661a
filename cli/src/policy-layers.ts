// Formats the layers of the policy in force.

import type { Json, PolicyReport } from "@aos/protocol/words";
import { table } from "./table.ts";

export interface LayerReport {
  readonly name: string;
  readonly origin: string;
  readonly mode: string;
  readonly rules: readonly {
    readonly id: string;
    readonly effect: string;
    readonly written: Json;
  }[];
  readonly labels: readonly Json[];
  readonly signals?: readonly string[];
  readonly warning?: string;
}

export const layersOf = ({ layers }: PolicyReport): LayerReport[] =>
  layers as unknown as LayerReport[];

export const layersTable = (report: PolicyReport): string =>
  table(
    ["LAYER", "MODE", "RULES", "FROM"],
    layersOf(report).map(({ name, mode, rules, origin, warning }) => [
      name,
      mode,
      String(rules.length),
      warning === undefined ? origin : `${origin} (${warning})`,
    ]),
  );
