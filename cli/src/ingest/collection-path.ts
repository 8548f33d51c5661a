// Collection path: where an ingested file is in its collection. Paths of memory are in Unicode form NFC and without control
// characters; what a file system allows beyond is written as %XX.

const ODD = /[%\p{Cc}]/gu;

export function collectionPath(file: string, entry: string): string {
  const parts = [...file.split("/"), ...(entry === "" ? [] : [entry.replaceAll("/", "-")])];
  return parts.map(storedName).join("/");
}

const storedName = (name: string): string =>
  name
    .normalize("NFC")
    .replace(ODD, (odd) => `%${odd.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
