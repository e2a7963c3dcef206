/** A domain on search whose rows are made from a folder of Markdown files at each start. */
export interface FolderSource {
  /** The folder without a setting, relative to the package that declares the domain. It may be absent. */
  readonly standard: string;
  /** For the page of settings: what the file names and titles decide, as a sentence that ends with a full stop. */
  readonly help?: string;
  /** The collection that has one row for each file. */
  readonly collection: string;
  /** The field of a row that holds the fingerprint of its file. */
  readonly fingerprint: string;
  /** Increase this number when `row` changes: every file is then indexed again. */
  readonly revision: number;
  /** The row of a file. `path` is relative to the folder; the key of the row is the path without `.md`. */
  row(path: string, text: string): Readonly<Record<string, unknown>>;
}

/** The setting that names another folder. */
export const folderSetting = (domain: string): string => `TAMSHAI_${domain.toUpperCase()}_FOLDER`;
