import { describe, expect, test } from "vitest";
import { caseWords, readDataFile } from "./data-set.ts";

const fieldsOf = (text: string, file = "c.csv") =>
  readDataFile(text, file).map(({ fields }) => fields);

describe("a data set", () => {
  test("is read from CSV with quotes, commas and line ends in fields", () => {
    const text = 'id,input,expected,tags\r\n1,"a ""b"", c","x\ny",red blue\r\n2,,,\r\n';

    expect(fieldsOf(text)).toEqual([
      { id: "1", input: 'a "b", c', expected: "x\ny", tags: ["red", "blue"] },
      { id: "2", input: "", expected: "", tags: [] },
    ]);
    expect(fieldsOf("\uFEFFinput,expected\n1,")).toEqual([{ input: "1", expected: "" }]);
  });

  test("is read from JSONL, with other names of the expected value", () => {
    const [one, two] = readDataFile('{"input":1,"target":"a"}\n\n{"ideal":"b"}\n', "c.jsonl");

    expect(caseWords(one!, 0)).toMatchObject({ id: "1", expected: "a" });
    expect(caseWords(two!, 1)).toMatchObject({ id: "2", expected: "b" });
    expect(two!.where).toBe("c.jsonl:3");
  });

  test.each([
    ["c.jsonl", '{"a":1}\n{"a"', "c.jsonl:2: "],
    ["c.jsonl", "[1]", "c.jsonl:1: a case is an object"],
    ["c.jsonl", "", "there are no cases"],
    ["c.csv", "a,a\n1,2", "every column needs a name"],
    ["c.csv", "a,b\n1,2,3", "c.csv:2: 3 fields"],
    ["c.csv", 'a,b\n"1,2', 'c.csv:2: a " without its end'],
    ["c.csv", 'a,b\n"1"x,2', 'text after a closing "'],
  ])("%s with %j is refused: %s (DATA-SET-1)", (file, text, message) => {
    expect(() => readDataFile(text, file)).toThrow(message);
  });

  test("has labels and tags that mean something", () => {
    const row = (fields: object) => ({ fields: fields as never, where: "c:1" });

    expect(() => caseWords(row({ label: "red" }), 0)).toThrow("unknown label");
    expect(() => caseWords(row({ tags: "red" }), 0)).toThrow("a list of texts");
    expect(caseWords(row({ label: "untrusted/secret" }), 0).label).toBe("untrusted/secret");
  });
});
