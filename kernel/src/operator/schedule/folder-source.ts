// FolderSource: changes in the folders that schedules watch.
//
// FOLDER-SOURCE-1  What a folder had is stored with the tick that its change made: what changes while nobody looks is
//     noticed afterwards, once.
// FOLDER-SOURCE-2  A change counts once nothing has changed for `settle`, and at the latest after ten times that.
// FOLDER-SOURCE-3  What a folder has when it is looked at for the first time starts nothing.

import type { FolderListing, Json, ListFolder, Trigger } from "@aos/protocol";
import type { Journal } from "../../journal/journal.ts";
import type { Platform } from "../../platform/clock.ts";
import { scheduleWrite } from "../../store/schedule-rows.ts";
import type { ScheduleEntry } from "./schedule-entry.ts";
import { outsideLabel, type ScheduleEvent } from "./schedule-event.ts";

const WAIT_AT_MOST = 10;
const MOST_CHANGES = 1000;

/** As it is stored; `nth` counts its changes. */
interface Seen {
  readonly folder: string;
  readonly nth: number;
  readonly files: FolderListing;
}

interface Unsettled {
  readonly text: string;
  readonly sinceMs: number;
  readonly firstMs: number;
}

interface Parts {
  readonly journal: Pick<Journal, "write">;
  readonly platform: Pick<Platform, "now">;
  readonly listFolder: ListFolder | undefined;
  readonly trouble: (what: string, error: unknown) => void;
}

export class FolderSource {
  readonly #parts: Parts;
  readonly #unsettled = new Map<number, Unsettled>();
  /** What was wrong at the last look: it is said once. */
  readonly #said = new Map<number, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async next(
    entry: ScheduleEntry,
    { folder, endings, settle }: NonNullable<Trigger["files"]>,
  ): Promise<ScheduleEvent[]> {
    const { listFolder, journal } = this.#parts;
    if (listFolder === undefined) return [];
    const { key, seen: text } = entry.row;
    const files = await listFolder(folder, endings).catch((error: Error) => {
      if (this.#said.get(key) !== error.message)
        this.#parts.trouble(`the schedule ${entry.row.name} cannot watch its folder`, error);
      this.#said.set(key, error.message);
    });
    if (files === undefined) return [];
    this.#said.delete(key);
    const before = typeof text === "string" ? (JSON.parse(text) as Seen) : undefined;
    const nth = (before?.nth ?? 0) + 1;
    const seen = JSON.stringify({ folder, nth, files } satisfies Seen);
    if (before === undefined || before.folder !== folder) {
      journal.write(scheduleWrite({ op: "schedule.seen", key, seen })); // FOLDER-SOURCE-3
      entry.row = { ...entry.row, seen };
      return [];
    }
    const changes = changesBetween(before.files, files);
    if (changes.length > 0 && !this.#isSettled(key, seen, settle)) return [];
    this.#unsettled.delete(key);
    if (changes.length === 0) return [];
    const more = Math.max(0, changes.length - MOST_CHANGES);
    const event = { folder, changes: changes.slice(0, MOST_CHANGES), more };
    return [{ id: `files:${nth}`, event, label: outsideLabel(entry), depth: 0, seen }];
  }

  /** FOLDER-SOURCE-2. */
  #isSettled(key: number, text: string, settleMs: number): boolean {
    const now = this.#parts.platform.now();
    const before = this.#unsettled.get(key);
    const { firstMs = now } = before ?? {};
    if (before?.text === text && now - before.sinceMs >= settleMs) return true;
    if (now - firstMs >= WAIT_AT_MOST * settleMs) return true;
    const sinceMs = before?.text === text ? before.sinceMs : now;
    this.#unsettled.set(key, { text, sinceMs, firstMs });
    return false;
  }
}

function changesBetween(before: FolderListing, now: FolderListing): Json[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])].toSorted();
  return paths.flatMap((path): Json[] => {
    const [old, mark] = [before[path], now[path]];
    if (old === mark) return [];
    if (mark === undefined) return [{ path, change: "removed", bytes: 0 }];
    const bytes = Number(mark.split(" ", 1)[0]);
    return [{ path, change: old === undefined ? "added" : "changed", bytes }];
  });
}
