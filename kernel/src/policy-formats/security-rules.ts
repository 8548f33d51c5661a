// From security.md to the same rules that policy.yaml becomes.
//
// SECURITY-RULES-1  What no policy speaks of is a violation, but for calls that are no action
//     (security-actions.ts).
// SECURITY-RULES-2  `read_only` binds: a call that writes and that such a policy speaks of is a
//     violation, whatever else allows it. So do max_cost_usd and the allowed_… lists.
// SECURITY-RULES-3  What has to be approved is asked in strict and permissive mode; audit enforces
//     nothing.

import { type Json, readSignalName, type SignalName } from "@aos/protocol";
import { compile, matches, type Pattern } from "../capability/pattern.ts";
import { readRate, readSize } from "../capability/units.ts";
import { type DocumentPath, PolicyError } from "../policy/problem.ts";
import { nearestHint, type ProblemList } from "./problem-list.ts";
import { PLAIN, type Rule } from "../policy/rule.ts";
import { readTimeout } from "./rule-text.ts";
import { isHostKind, isPathKind, readAction, securityActions } from "./security-actions.ts";
import type { SecurityFile, SecurityPolicy } from "./security-md.ts";
import type { KnownNames } from "../policy/selectors.ts";
import type { Subject } from "../policy/subject.ts";
import { isWriting } from "../policy/writing.ts";

type Breach = (subject: Subject) => string | undefined;

export function securityRules(
  file: SecurityFile,
  known: KnownNames,
  problems: ProblemList,
): readonly Rule[] {
  const seen = new Map<string, number>();
  return file.policies.flatMap((policy, i) => {
    const count = (seen.get(policy.action) ?? 0) + 1;
    seen.set(policy.action, count);
    const id = count === 1 ? policy.action : `${policy.action}.${count}`;
    return readPolicy(policy, id, ["policies", i], known, problems);
  });
}

export function readSignals(file: SecurityFile, problems: ProblemList): ReadonlySet<SignalName> {
  const names = new Set<SignalName>();
  file.signals.forEach((text, i) => {
    const read = readSignalName(text);
    if (typeof read === "string") names.add(read);
    else problems.at(["signals", i], read.problem);
  });
  return names;
}

function readPolicy(
  policy: SecurityPolicy,
  id: string,
  path: DocumentPath,
  known: KnownNames,
  problems: ProblemList,
): readonly Rule[] {
  const meaning = problems.try([...path, "action"], () => readKnownAction(policy.action, known));
  if (policy.effect === "deny") refuseLimits(policy, path, problems);
  const limits = readLimits(policy, path, known, problems);
  if (meaning === undefined) return [];
  const { selectors, writes } = meaning;
  const written = policy as unknown as Json;
  if (policy.effect === "deny") {
    // To take away, what only seems to write counts as well.
    const ofWrites = writes === true ? true : undefined;
    return [{ ...PLAIN, id, effect: "deny", selectors, ofWrites, written }];
  }
  const rule: Rule = {
    ...PLAIN,
    ...limits,
    id,
    effect: "allow",
    selectors,
    ofWrites: writes,
    written,
  };
  if (policy.requires_approval !== true) return [rule];
  const question = { channel: undefined, quorum: 1, expiresMs: undefined, everyTime: false };
  return [rule, { ...PLAIN, id, effect: "ask", selectors, ofWrites: writes, question, written }];
}

function readKnownAction(action: string, known: KnownNames): ReturnType<typeof readAction> {
  try {
    return readAction(action, known);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const hint = nearestHint(action, [...Object.keys(securityActions), ...known.tools]);
    throw new PolicyError([], `"${action}" is neither an action nor a tool${hint}`);
  }
}

/** A denial is whole: there is nothing that a limit could be for. */
function refuseLimits(policy: SecurityPolicy, path: DocumentPath, problems: ProblemList): void {
  const { mode, rate_limit, requires_approval, constraints = {} } = policy;
  const refuse = (key: DocumentPath): void =>
    problems.at([...path, ...key], "limits need effect: allow; this entry denies");
  if (mode !== undefined) refuse(["mode"]);
  if (rate_limit !== undefined) refuse(["rate_limit"]);
  if (requires_approval === true) refuse(["requires_approval"]);
  // A denial is always recorded.
  for (const key of Object.keys(constraints)) if (key !== "log") refuse(["constraints", key]);
}

function readLimits(
  policy: SecurityPolicy,
  path: DocumentPath,
  known: KnownNames,
  problems: ProblemList,
): Partial<Rule> {
  const { constraints = {}, rate_limit } = policy;
  const inside = (key: string): DocumentPath => [...path, "constraints", key];
  const optional = <T, R>(value: T | undefined, at: DocumentPath, read: (value: T) => R) =>
    value === undefined ? undefined : problems.try(at, () => read(value));
  const breaches: Breach[] = [];
  if (policy.mode === "read_only")
    breaches.push((subject) => (isWriting(subject) ? "it is read_only" : undefined));
  const { max_cost_usd: maxUsd } = constraints;
  if (maxUsd !== undefined)
    breaches.push(({ cost }) => (cost.usd <= maxUsd ? undefined : `it may cost ${maxUsd} dollars`));
  breaches.push(
    ...(optional(constraints.allowed_hosts, inside("allowed_hosts"), allowedHosts) ?? []),
    ...(optional(constraints.allowed_paths, inside("allowed_paths"), allowedPaths) ?? []),
    ...(optional(constraints.allowed_tools, inside("allowed_tools"), (names) =>
      allowedTools(names, known),
    ) ?? []),
  );
  return {
    rate: optional(rate_limit, [...path, "rate_limit"], (text) => readRate(shortPeriod(text))),
    timeoutMs: optional(constraints.timeout, inside("timeout"), (timeout) =>
      readTimeout(typeof timeout === "number" ? `${Math.ceil(timeout * 1000)}ms` : timeout),
    ),
    maxBytes: optional(constraints.max_bytes, inside("max_bytes"), (size) =>
      readSize(String(size)),
    ),
    dryRun: constraints.dry_run === true,
    log: constraints.log === true,
    breach: (subject) =>
      breaches.map((breach) => breach(subject)).find((found) => found !== undefined),
  };
}

/** `100/hour` as it is; `100/minute` and `5/second` are what others write. */
const shortPeriod = (text: string): string =>
  text
    .replace(/\/\s*minute$/, "/min")
    .replace(/\/\s*second$/, "/s")
    .replaceAll(" ", "");

function allowedHosts(hosts: readonly string[]): readonly Breach[] {
  const patterns = compileEach(hosts, "http");
  return [({ touches }) => outside(touches, isHostKind, patterns, "not one of its allowed_hosts")];
}

function allowedPaths(paths: readonly string[]): readonly Breach[] {
  const patterns = compileEach(paths, "file");
  return [({ touches }) => outside(touches, isPathKind, patterns, "not one of its allowed_paths")];
}

function allowedTools(names: readonly string[], known: KnownNames): readonly Breach[] {
  const patterns = compileEach(names, "tool");
  patterns.forEach((pattern, i) => {
    if (known.tools.has(names[i]!) || [...known.tools].some((tool) => matches(pattern, tool)))
      return;
    throw new PolicyError(
      [i],
      `no tool is called "${names[i]}"${nearestHint(names[i]!, known.tools)}`,
    );
  });
  return [
    ({ tool }) =>
      tool === undefined || patterns.some((pattern) => matches(pattern, tool))
        ? undefined
        : "not one of its allowed_tools",
  ];
}

function compileEach(texts: readonly string[], kind: "http" | "file" | "tool"): readonly Pattern[] {
  return texts.map((text) => compile(kind, text));
}

function outside(
  touches: Subject["touches"],
  isOfKind: (kind: string) => boolean,
  patterns: readonly Pattern[],
  problem: string,
): string | undefined {
  const isOutside = touches.some(
    ({ kind, resource }) =>
      isOfKind(kind) && !patterns.some((pattern) => matches(pattern, resource)),
  );
  return isOutside ? problem : undefined;
}
