// BatchLinks: links what comes to another thread, commit after commit, of which one may be unanswered when the next
// comes (RECORD-LINKS-1 of record-links.ts). Whatever it is given wrongly, audits find the chain broken.

import type { Extension } from "../contract.ts";
import { HASH_LENGTH, linkRecords, UNDER_WAY } from "../record-links.ts";
import type { ProcessKey } from "../rows.ts";

export class BatchLinks {
  #last = new Map<ProcessKey, string>();

  /** What each extension goes on from, one hash after the other; answers with their ends in the same way. */
  link(extensions: readonly Extension[], befores: string): string {
    const made = new Map<ProcessKey, string>();
    let ends = "";
    for (let nth = 0; nth < extensions.length; nth++) {
      const extension = extensions[nth]!;
      const { process } = extension;
      const given = befores.slice(nth * HASH_LENGTH, (nth + 1) * HASH_LENGTH);
      const before = given === UNDER_WAY ? (made.get(process) ?? this.#last.get(process)) : given;
      if (before === undefined) throw new Error(`no hash to link the records of ${process} to`);
      const end = linkRecords(extension, before);
      made.set(process, end);
      ends += end;
    }
    this.#last = made;
    return ends;
  }
}
