import type { Router as RestifyRouter, Server as RestifyServer, ServerOptions } from 'restify';

export const Router: new (options: ServerOptions) => RestifyRouter;
export const Server: new (options: ServerOptions) => RestifyServer;
