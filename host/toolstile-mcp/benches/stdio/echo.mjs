// The tools of the plugin beside this file, as a server of the official TypeScript SDK.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";

function server() {
    const server = new McpServer({ name: "echo", version: "1" }, { capabilities: { tools: {} } });
    const tool = (name, description, inputSchema, run) =>
        server.registerTool(name, { description, inputSchema }, async (given) => ({
            content: [{ type: "text", text: run(given) }],
        }));
    tool("echo", "Answers what it is given.", z.object({ text: z.string() }), ({ text }) => text);
    tool("crash", "Ends without a word.", z.object({}), () => process.abort());
    tool("take_memory", "Takes memory without end.", z.object({}), () => {
        for (const taken = []; ; ) taken.push(Buffer.alloc(1 << 20, 1));
    });
    tool("run_forever", "Never answers.", z.object({}), () => {
        for (;;);
    });
    return server;
}

serveStdio(server);
