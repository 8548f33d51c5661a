// Find service: the service that runs the daemon of a home, if there is one.
//
//   const service = findService(endpoint)          its file says so; undefined when none does
//   await startService(service, …)                 returns when the daemon answers
//
// FIND-SERVICE-1  A service counts for a home if its file names that home or its socket, and its manager runs
//     here. In a container with the file and no manager, `aos up` starts the daemon itself.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { SysError } from "@aos/protocol/words";
import type { Endpoint } from "../endpoint.ts";
import { managerOf, type ServiceManager, type ServiceState } from "./init-system.ts";

export interface FoundService {
  readonly manager: ServiceManager;
  readonly file: string;
  readonly text: string;
  /** Written by `aos service install`, and not by a package or a person. */
  readonly isOurs: boolean;
}

/** A daemon that opens a large home on a busy machine. */
const START_MS = 120_000;
const POLL_MS = 100;

/** Whose file is for this home, whether its manager runs or not. */
export const serviceFileFor = (endpoint: Endpoint): FoundService | undefined =>
  (["user", "system"] as const)
    .map((scope) => fileOf(managerOf(scope)))
    .find((found) => found !== undefined && isFor(found, endpoint));

/** FIND-SERVICE-1. */
export function findService(endpoint: Endpoint): FoundService | undefined {
  if (endpoint.remote !== undefined) return undefined;
  const found = serviceFileFor(endpoint);
  return found?.manager.problem() === undefined ? found : undefined;
}

/** The file of a manager, for whichever home; ours hides a package's. */
export function fileOf(manager: ServiceManager): FoundService | undefined {
  for (const file of manager.files) {
    try {
      const text = readFileSync(file, "utf8");
      return { manager, file, text, isOurs: text.includes(manager.mark) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    }
  }
  return undefined;
}

function isFor({ manager, text }: FoundService, { home, socket }: Endpoint): boolean {
  const set = manager.environmentOf(text);
  return set.get("AOS_HOME") === home || set.get("AOS_SOCKET") === socket;
}

/** Returns when the daemon answers; throws when its manager gave up. */
export async function startService(
  { manager }: FoundService,
  isUp: () => Promise<boolean>,
): Promise<void> {
  manager.start();
  for (let waitedMs = 0; waitedMs < START_MS; waitedMs += POLL_MS) {
    if (await isUp()) return;
    const state: ServiceState = manager.state();
    if (state === "failed") throw notUp(`the service failed (${manager.name})`, manager);
    await sleep(POLL_MS);
  }
  throw notUp(`the service was started, and no daemon answers (${manager.state()})`, manager);
}

const notUp = (message: string, { logs }: ServiceManager): SysError =>
  new SysError("ESTATE", message, { hint: `see \`${logs}\`` });
