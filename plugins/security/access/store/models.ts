import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';
import type { OrgRole, ProjectRole, Queries } from '../../../../kernel/contracts/index.ts';
import type { TokenKind } from '../domain/token.ts';

/** Rows that requests need are read with prepared statements, because a model costs ten times as much. */
export type Reading = Pick<Queries, 'read'>;

export interface OrgRow {
  org_id: string;
  name: string;
  created_at: number;
}

export interface ProjectRow {
  project_id: string;
  org_id: string;
  name: string;
  created_at: number;
}

export interface UserRow {
  user_id: string;
  name: string;
  created_at: number;
  /** The org that created the user by adding it; `''` when the operator or a sign-in did. */
  home_org_id: string;
}

export interface MemberRow {
  org_id: string;
  /** `''` for the org itself. */
  project_id: string;
  user_id: string;
  /** Used only to order lists; roles are found by the other three columns. */
  member_id: string;
  role: OrgRole | ProjectRole;
  created_at: number;
}

/** A pending invitation. It is deleted when it ends. */
export interface InvitationRow {
  invitation_id: string;
  org_id: string;
  /** `''` for the org itself. */
  project_id: string;
  user_id: string;
  role: OrgRole | ProjectRole;
  /** The user who sent it. It ends when that user may no longer give the role. */
  invited_by: string;
  created_at: number;
  expires_at: number;
}

export interface TokenRow {
  token_id: string;
  digest: Buffer;
  kind: TokenKind;
  /** `''` for agents. */
  user_id: string;
  org_id: string | null;
  project_id: string | null;
  role: ProjectRole | null;
  name: string;
  created_by: string;
  /** The token or session that created it; `''` when there was none. */
  minted_by: string;
  /** What last moved its end, if that was not its creator: a token, or the user of a session. */
  renewed_by: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
}

type Table<Row extends object> = ModelStatic<Model<Row, Row>>;

export interface Models {
  orgs: Table<OrgRow>;
  projects: Table<ProjectRow>;
  users: Table<UserRow>;
  members: Table<MemberRow>;
  tokens: Table<TokenRow>;
  invitations: Table<InvitationRow>;
}

const text = { type: DataTypes.STRING, allowNull: false };
const key = { ...text, primaryKey: true };
const time = { type: DataTypes.BIGINT, allowNull: false };
const optional = { type: DataTypes.STRING, allowNull: true };
const optionalTime = { type: DataTypes.BIGINT, allowNull: true };

/** Models for the tables of the migrations. The migrations own the schema: models are never synchronised. */
export function defineModels(sequelize: Sequelize): Models {
  const define = <Row extends object>(tableName: string, columns: Record<keyof Row, object>): Table<Row> => {
    // Sequelize writes each column's name into its definition object, so columns must not share one.
    const definitions = Object.fromEntries(
      Object.entries<object>(columns).map(([column, rules]) => [column, { ...rules }]),
    );
    return sequelize.define(tableName, definitions as never, { tableName, timestamps: false, freezeTableName: true });
  };
  return {
    orgs: define<OrgRow>('access_orgs', { org_id: key, name: text, created_at: time }),
    projects: define<ProjectRow>('access_projects', { project_id: key, org_id: text, name: text, created_at: time }),
    users: define<UserRow>('access_users', { user_id: key, name: text, created_at: time, home_org_id: text }),
    members: define<MemberRow>('access_members', {
      org_id: key,
      project_id: key,
      user_id: key,
      member_id: text,
      role: text,
      created_at: time,
    }),
    tokens: define<TokenRow>('access_tokens', {
      token_id: key,
      digest: { type: DataTypes.BLOB, allowNull: false },
      kind: text,
      user_id: text,
      org_id: optional,
      project_id: optional,
      role: optional,
      name: text,
      created_by: text,
      minted_by: text,
      renewed_by: text,
      created_at: time,
      expires_at: optionalTime,
      last_used_at: optionalTime,
      revoked_at: optionalTime,
    }),
    invitations: define<InvitationRow>('access_invitations', {
      invitation_id: key,
      org_id: text,
      project_id: text,
      user_id: text,
      role: text,
      invited_by: text,
      created_at: time,
      expires_at: time,
    }),
  };
}
