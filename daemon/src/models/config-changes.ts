// What is different between two readings of the configuration: what counts from now on, and what waits
// for the next start.

import type { ModelConfig } from "../model-config.ts";

export interface Changes {
  /** In force now. */
  readonly made: readonly string[];
  /** The settings that are read only when the daemon starts. */
  readonly waiting: readonly string[];
}

/** What the slot scheduler reads at every request. */
const hotSettings = ["tenants", "queue"] as const;
const hotSections = new Set(["providers", "models", "scheduler"]);

export function changesBetween(before: ModelConfig, after: ModelConfig): Changes {
  return {
    made: [
      ...changesOf("provider", before.providers, after.providers),
      ...changesOf("model", before.models, after.models),
      ...hotSettings.flatMap((name) =>
        isSame(before.scheduler[name], after.scheduler[name]) ? [] : [`scheduler.${name} changed`],
      ),
    ],
    waiting: [
      ...keysOf(before.scheduler, after.scheduler)
        .filter((name) => !(hotSettings as readonly string[]).includes(name))
        .filter((name) => !isSame(member(before.scheduler, name), member(after.scheduler, name)))
        .map((name) => `scheduler.${name}`),
      ...keysOf(before, after)
        .filter((name) => !hotSections.has(name))
        .filter((name) => !isSame(member(before, name), member(after, name))),
    ],
  };
}

function changesOf(what: string, before: object, after: object): string[] {
  return keysOf(before, after).flatMap((name) => {
    const [was, is] = [member(before, name), member(after, name)];
    if (isSame(was, is)) return [];
    const how = was === undefined ? "was added" : is === undefined ? "was removed" : "changed";
    return [`${what} ${name} ${how}`];
  });
}

const keysOf = (before: object, after: object): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

const member = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
