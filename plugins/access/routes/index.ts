import type { Route } from '../../../kernel/contracts/index.ts';
import type { Access } from '../service/access.ts';
import { deleteMember } from './delete-member.ts';
import { deleteToken } from './delete-token.ts';
import { getMember } from './get-member.ts';
import { getMembers } from './get-members.ts';
import { getOrg } from './get-org.ts';
import { getOrgs } from './get-orgs.ts';
import { getProject } from './get-project.ts';
import { getProjects } from './get-projects.ts';
import { getToken } from './get-token.ts';
import { getTokens } from './get-tokens.ts';
import { getWhoami } from './get-whoami.ts';
import { ofOrg, ofProject } from './member-place.ts';
import { postToken } from './post-token.ts';
import { putMember } from './put-member.ts';
import { putOrg } from './put-org.ts';
import { putProject } from './put-project.ts';

const PLAIN = [
  getWhoami,
  getOrgs,
  getOrg,
  putOrg,
  getProjects,
  getProject,
  putProject,
  postToken,
  getTokens,
  getToken,
  deleteToken,
];
const FOR_MEMBERS = [getMembers, getMember, putMember, deleteMember];

export const accessRoutes = (access: Access): Route[] => [
  ...PLAIN.map((route) => route(access)),
  ...[ofOrg, ofProject].flatMap((place) => FOR_MEMBERS.map((route) => route(access, place))),
];
