import { expect, test } from "vitest";
import { properNamesIn, indexTermsOf } from "./terms.ts";

test("TERMS-2: function words are no terms, and forms of a word share one", () => {
  expect(indexTermsOf("Where did she go?")).toEqual(indexTermsOf("they went"));
  expect(indexTermsOf("buying a bicycle")).toEqual(
    indexTermsOf("She bought two bicycles").filter((term) => term !== "two"),
  );
  expect(indexTermsOf("the of and to")).toEqual([]);
});

test("TERMS-3: an identifier is found by the whole and by its parts", () => {
  expect(indexTermsOf("readLabel")).toEqual(["readlabel", "read", "label"]);
  expect(indexTermsOf("word24")).toEqual(["word24"]);
  expect(indexTermsOf("max_open_files")).toEqual(expect.arrayContaining(["max", "open", "file"]));
});

test("TERMS-1: other scripts and spellings of one text have terms, too", () => {
  expect(indexTermsOf("Zürich")).toEqual(indexTermsOf("Zu\u0308rich"));
  expect(indexTermsOf("東京 駅")).toEqual(["東京", "駅"]);
});

test("a capital letter inside a sentence is a name", () => {
  expect(properNamesIn("When did Ada go to Paris? Later.")).toEqual(["Ada", "Paris"]);
});
