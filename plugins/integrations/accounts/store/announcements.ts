import type { Queries } from '../../../../kernel/contracts/index.ts';

export interface AnnouncementRow {
  announcement_id: string;
  org_id: string;
  project_id: string;
  type: string;
  name: string;
  /** The payload as JSON. */
  payload: string;
}

export const insertAnnouncement = (tx: Queries, row: AnnouncementRow): Promise<number> =>
  tx.write(
    `INSERT INTO accounts_announcements (announcement_id, org_id, project_id, type, name, payload)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [row.announcement_id, row.org_id, row.project_id, row.type, row.name, row.payload],
  );

/** Lists announcements, oldest first. */
export const listAnnouncements = (on: Pick<Queries, 'read'>, limit: number): Promise<AnnouncementRow[]> =>
  on.read(`SELECT * FROM accounts_announcements ORDER BY announcement_id LIMIT ${Math.trunc(limit)}`);

/** Returns false when another server has published it. */
export async function claimAnnouncement(tx: Queries, announcement_id: string): Promise<boolean> {
  return (await tx.write('DELETE FROM accounts_announcements WHERE announcement_id = ?', [announcement_id])) === 1;
}
