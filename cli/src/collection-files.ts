// All files of a collection, page by page.

import type { Client } from "@aos/client";
import type { CollectionFile } from "@aos/protocol/words";

export async function listCollection(
  client: Client,
  of: { readonly name: string; readonly tenant?: string },
): Promise<CollectionFile[]> {
  const files: CollectionFile[] = [];
  for (let after: string | undefined; ;) {
    const page = await client.collectionFiles({ ...of, ...(after === undefined ? {} : { after }) });
    files.push(...page.files);
    if (page.next === null) return files;
    after = page.next;
  }
}
