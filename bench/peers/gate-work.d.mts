export type Clause = readonly [name: string, operator: string, value: string | number | readonly string[]];

export interface NeutralRule {
  readonly id: string;
  readonly effect: "allow" | "deny" | "ask";
  readonly of: string;
  readonly when?: readonly Clause[];
  readonly after?: string;
}

export interface NeutralRequest {
  readonly args: Readonly<Record<string, string | number>> & { readonly path: string };
  readonly label: { readonly integrity: "untrusted"; readonly secrecy: "internal" | "confidential" | "secret" };
  readonly atMs: number;
}

export const agent: string;
export const tools: readonly string[];
export const rules: readonly NeutralRule[];
export const requests: readonly NeutralRequest[];
export const refusals: readonly NeutralRequest[];
