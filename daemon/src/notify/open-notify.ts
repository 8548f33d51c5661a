// OpenNotify: what tells people, where the configuration names somebody to tell; else nothing of it is loaded.

import type { Kernel, Post } from "@aos/kernel";
import { newId } from "@aos/protocol";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { deliver } from "./deliver.ts";
import { noticeOf } from "./notice-of.ts";
import { NotificationSweep } from "./notification-sweep.ts";
import { noTarget, notifyTargets, type NotifyTarget } from "./notify-config.ts";
import { Outbox, type OutboxItem } from "./outbox.ts";
import { repeatedly } from "./repeatedly.ts";

export interface NotifyOptions {
  readonly kernel: Kernel;
  readonly config: Pick<Config, "notify" | "publicUrl">;
  readonly homeFolder: string;
  /** Of the listener; null while there is none. */
  readonly url: () => string | null;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  /** What else is in the outbox. */
  readonly otherItem?: (post: Post) => OutboxItem | undefined;
  readonly everyMs?: number;
  readonly firstBackoffMs?: number;
}

export interface TestedTarget {
  readonly id: string;
  readonly ok: boolean;
  readonly why: string | null;
  readonly warnings: string[];
}

const EVERY_MS = 1000;
const PRUNE_EVERY_MS = 3_600_000;
const KEEP_MS = 30 * 86_400_000;

export class Notifications {
  readonly targets: readonly NotifyTarget[];
  readonly #options: NotifyOptions;
  readonly #stopping = new AbortController();
  readonly #works: Promise<void>[] = [];

  constructor(options: NotifyOptions) {
    this.#options = options;
    this.targets = notifyTargets(options.config.notify);
  }

  begin(): void {
    const { kernel, log, otherItem, everyMs = EVERY_MS, firstBackoffMs } = this.#options;
    const { signal } = this.#stopping;
    const sweep = new NotificationSweep(kernel, this.targets);
    const itemOf = (post: Post) => otherItem?.(post) ?? this.#itemOf(post);
    const backoff = firstBackoffMs === undefined ? {} : { firstBackoffMs };
    const outbox = new Outbox({ kernel, itemOf, log, ...backoff });
    const onTrouble = (error: unknown) =>
      log.warn({ err: error }, "notifications: it is tried again");
    const again = (ms: number, work: () => Promise<unknown>) =>
      this.#works.push(repeatedly({ everyMs: ms, signal, onTrouble }, work));
    if (this.targets.length > 0) again(everyMs, () => sweep.sweep());
    again(everyMs, async () => {
      while (!signal.aborted && (await outbox.sendDue(signal)) > 0);
    });
    again(PRUNE_EVERY_MS, () => kernel.prunePosts(KEEP_MS));
  }

  /** Says one thing to a target at once, and what came of it. */
  async test(name: string, tenant: string): Promise<TestedTarget> {
    const target = this.find(name, tenant);
    const id = newId("tst", Date.now(), crypto.getRandomValues(new Uint8Array(10)));
    const notice = {
      id,
      event: "test",
      title: "A test of Agent OS",
      facts: [["target", name]],
      quoted: [],
    } as const;
    const result = await deliver(this.#parts(), notice, target, this.#stopping.signal);
    const why = result.ok ? null : this.#options.kernel.scrub(result.why);
    return { id, ok: result.ok, why, warnings: this.warnings(target) };
  }

  find(name: string, tenant: string): NotifyTarget {
    const target = this.targets.find((one) => one.name === name && one.tenant === tenant);
    if (target === undefined) throw noTarget(name);
    return target;
  }

  warnings({ person, events }: NotifyTarget): string[] {
    const { config, url } = this.#options;
    if (!events.includes("approval")) return [];
    if (person === undefined) return ["it names no person: its messages have no link to answer by"];
    if (config.publicUrl !== undefined) return [];
    return [
      url() === null
        ? "there is no network listener and no publicUrl: its messages have no link"
        : `publicUrl is not set: links lead to ${url()}, which only this machine reaches`,
    ];
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#works);
  }

  #parts() {
    const { kernel, homeFolder, config, url } = this.#options;
    const publicUrl = (): string | undefined => config.publicUrl ?? url() ?? undefined;
    return { kernel, homeFolder, publicUrl };
  }

  #itemOf(post: Post): OutboxItem | undefined {
    const { target: name, tenant } = post;
    const target = this.targets.find((one) => one.name === name && one.tenant === tenant);
    if (target === undefined || post.kind === "reply") return undefined;
    return {
      tries: target.tries,
      send: async (signal) => {
        const notice = await noticeOf(this.#parts(), post, target);
        return notice && deliver(this.#parts(), notice, target, signal);
      },
    };
  }
}
