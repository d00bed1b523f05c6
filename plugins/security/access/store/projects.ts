import { Op } from 'sequelize';
import type { Ids, Page, Queries } from '../../../../kernel/contracts/index.ts';
import type { Models, ProjectRow, Reading } from './models.ts';

const READ = 'SELECT project_id, org_id, name, created_at FROM access_projects';

export async function findProjectByName(on: Reading, org_id: string, name: string): Promise<ProjectRow | undefined> {
  const rows = await on.read<ProjectRow>(`${READ} WHERE org_id = ? AND name = ?`, [org_id, name]);
  return rows[0];
}

export async function findProjectById(
  on: Reading,
  org_id: string,
  project_id: string,
): Promise<ProjectRow | undefined> {
  const rows = await on.read<ProjectRow>(`${READ} WHERE org_id = ? AND project_id = ?`, [org_id, project_id]);
  return rows[0];
}

export async function findProjectIds(on: Reading, org_id: string): Promise<string[]> {
  const rows = await on.read<ProjectRow>(`${READ} WHERE org_id = ?`, [org_id]);
  return rows.map(({ project_id }) => project_id);
}

export interface ProjectFilter {
  /** All projects of these orgs. */
  org_ids: readonly string[];
  /** And these single projects. */
  project_ids: readonly string[];
}

/** Lists projects, newest first. Returns one row more than the page holds. */
export async function listProjects({ projects }: Models, filter: ProjectFilter, page?: Page): Promise<ProjectRow[]> {
  const either = { [Op.or]: [{ org_id: [...filter.org_ids] }, { project_id: [...filter.project_ids] }] };
  const before = page?.before === undefined ? [] : [{ project_id: { [Op.lt]: page.before } }];
  const limit = page && { limit: page.limit + 1 };
  const where = { [Op.and]: [either, ...before] };
  const rows = await projects.findAll({ where, order: [['project_id', 'DESC']], ...limit, raw: true });
  return rows as unknown as ProjectRow[];
}

/** Returns the project with that name in the org, and creates it if it does not exist. */
export async function ensureProject(
  queries: Queries,
  ids: Ids,
  project: { org_id: string; name: string; now: number },
): Promise<ProjectRow & { made: boolean }> {
  const { org_id, name, now } = project;
  const inserted = await queries.write(
    `${queries.sql.insert_ignore} access_projects (project_id, org_id, name, created_at) VALUES (?, ?, ?, ?)`,
    [ids.next('prj'), org_id, name, now],
  );
  const project_row = await findProjectByName(queries, org_id, name);
  return { ...project_row!, made: inserted === 1 };
}
