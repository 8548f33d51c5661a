// SearchOptions: what the index of the site is made with, and read with.

export const SEARCH_OPTIONS = {
  fields: ["title", "heading", "text"],
  storeFields: ["title", "heading", "lead"],
};
