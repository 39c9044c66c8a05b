#![allow(clippy::unwrap_used)]
use super::*;

#[test]
fn names_by_command() {
    let table = [
        // Node
        ("npx -y @modelcontextprotocol/server-everything", "server-everything"),
        ("npx --yes @modelcontextprotocol/server-filesystem@2026.8.31 /tmp", "server-filesystem"),
        ("npx -y server-foo@latest stdio", "server-foo"),
        ("npx mcp-remote https://example.com/mcp", "mcp-remote"),
        ("npx -p @x/pkg some-tool --flag", "some-tool"),
        ("npx --package=@x/pkg -c 'a b'", "pkg"),
        ("npx -- @x/y", "y"),
        ("npx.cmd -y @x/y", "y"),
        ("C:\\nodejs\\npx.CMD -y @x/y", "y"),
        ("npx -y github:someone/some-server", "some-server"),
        ("npx -y git+https://host/someone/other-server.git#v1", "other-server"),
        ("bunx @x/y", "y"),
        ("pnpm dlx @x/y@1.2", "y"),
        ("yarn dlx y", "y"),
        ("npm exec -y -- @x/y", "y"),
        ("npm run serve", "serve"),
        ("npm --prefix /srv/weather start", "weather"),
        ("pnpm --dir /a/weather run start", "weather"),
        ("bun run /a/weather/index.ts", "weather"),
        ("bun x y", "y"),
        ("node server.js", "server"),
        ("node ./my-server.mjs --stdio", "my-server"),
        ("node /home/me/weather/build/index.js", "weather"),
        ("node /home/me/server.js", "server"),
        ("node /w/node_modules/@modelcontextprotocol/server-memory/dist/index.js", "server-memory"),
        ("/w/node_modules/.bin/mcp-server-memory", "mcp-server-memory"),
        ("node /w/node_modules/plain/dist/index.js", "plain"),
        ("node --import tsx --inspect=9229 -r dotenv/config src/tools.ts", "tools"),
        ("node -e 'setInterval(()=>{},1e9)'", "inline"),
        ("tsx src/github.ts", "github"),
        ("deno run -A --config deno.json jsr:@x/deno-server@1", "deno-server"),
        ("deno run --allow-net ./thing.ts", "thing"),
        // Python
        ("uvx mcp-server-git --repository .", "mcp-server-git"),
        ("uvx mcp-server-fetch@0.6.2", "mcp-server-fetch"),
        ("uvx --from git+https://github.com/x/serena serena start-mcp-server", "serena"),
        ("uvx --python 3.12 --with httpx 'some-server[all]==1.0'", "some-server"),
        ("uv tool run mcp-server-time", "mcp-server-time"),
        ("uv run server.py", "server"),
        ("uv run --with mcp[cli] mcp run /a/weather/server.py", "weather"),
        ("uv --directory /a/weather run main.py", "weather"),
        ("uv run --directory /a/weather weather-server", "weather-server"),
        ("uv run --project /a/weather python -m app", "weather"),
        ("uv run -m my_server", "my_server"),
        ("uv run python -m my_pkg.server", "my_pkg"),
        ("pipx run some-server", "some-server"),
        ("poetry run python tools.py", "tools"),
        ("poetry -C /a/weather run python -m server", "weather"),
        ("conda run -n env python tools.py", "tools"),
        ("python -m mcp_server_git --repository x", "mcp_server_git"),
        ("python3.12 -u -m mcp_server_time", "mcp_server_time"),
        ("python3 -um mcp_server_time", "mcp_server_time"),
        ("/a/.venv/bin/python3 /a/calc/calc.py", "calc"),
        ("python.exe -X utf8 C:\\work\\calc\\main.py", "calc"),
        ("py -3 calc.py", "calc"),
        ("python -c 'print(1)'", "inline"),
        ("python -W ignore -m a.b.cli", "b"),
        ("fastmcp run notes.py:mcp", "notes"),
        // Containers
        ("docker run -i --rm mcp/fetch", "fetch"),
        (
            "docker run -i --rm -e TOKEN -v /a:/b --network=host ghcr.io/github/github-mcp-server:v1@sha256:00 stdio",
            "github-mcp-server",
        ),
        ("podman run -it localhost:5000/team/x:1", "x"),
        ("docker exec -i my-container node index.js", "my-container"),
        ("docker compose -f a.yml run --rm -T weather", "weather"),
        // Others
        ("cargo run -q --bin my-server", "my-server"),
        ("cargo run --manifest-path /a/weather/Cargo.toml", "weather"),
        ("go run ./cmd/weather", "weather"),
        ("go run github.com/x/tool/v2@latest", "tool"),
        ("java -Xmx1g -jar /a/weather-server-1.2.3.jar", "weather-server"),
        ("java -cp a:b com.example.Weather", "Weather"),
        ("dotnet run --project /a/Weather.csproj", "Weather"),
        ("dotnet weather.dll", "weather"),
        ("ruby weather.rb", "weather"),
        ("php artisan mcp:start", "artisan"),
        ("/usr/local/bin/github-mcp-server stdio", "github-mcp-server"),
        ("./target/release/weather", "weather"),
        ("cat", "cat"),
        // Around others
        ("env -u A TOKEN=x npx -y @x/y", "y"),
        ("/usr/bin/env node tools.js", "tools"),
        ("sh -c 'exec npx -y @x/y'", "y"),
        ("bash -lc 'cd /a && TOKEN=1 uvx some-server; '", "some-server"),
        ("sh -c '\"$@\"' sh node tools.js", "tools"),
        ("bash ./run-weather.sh", "run-weather"),
        ("cmd /c npx -y @x/y", "y"),
        ("cmd.exe /d /s /c uvx z", "z"),
        ("pwsh -NoProfile -Command 'npx -y @x/y'", "y"),
        ("timeout -k 5 60 node tools.js", "tools"),
        ("nice -n 5 uvx z", "z"),
        ("sudo -u me node tools.js", "tools"),
        ("mcpscope attach --name a -- npx -y @x/y", "y"),
        ("mcpscope attach npx -y @x/y", "y"),
        ("mcpscope -- node tools.js", "tools"),
        // Nothing to go by: never the interpreter.
        ("node", "server"),
        ("python3", "server"),
        ("npx", "server"),
        ("docker run", "server"),
        ("sh -c ''", "inline"),
        ("", "server"),
    ];
    let mut wrong = Vec::new();
    for (command, want) in table {
        let words = split_words(command);
        let got = server_name(&words);
        if got != want {
            wrong.push(format!("{command}: {got}, want {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_name_is_one_folder() {
    for (name, want) in [("../../etc", "etc"), ("a/b c", "a-b-c"), (".hidden", "hidden"), ("", "server"), ("é✓", "é")]
    {
        assert_eq!(folder_name(name), want);
    }
    assert!(folder_name(&"x".repeat(500)).len() <= 64);
}
