/** Declares the folder of Markdown files from which each start makes the rows of a search domain. */
export interface FolderSource {
  /** The default folder, relative to the package of the domain. It need not exist. */
  readonly standard: string;
  /** For docs/settings.md: what file names and titles mean, as a full sentence. */
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
