Feature: Versions

  Rule: Everything that has a version reports it

    @VER-001
    Scenario: The API exists only under its version prefix
      When I send "GET" to "/api/v1/whoami"
      Then the answer is 200
      When I send "GET" to "/api/whoami"
      Then the answer is 404 with code "not_found"
      When I send "GET" to "/api/v2/whoami"
      Then the answer is 404 with code "not_found"

    @VER-003 @OVW-010
    Scenario: a script can be submitted by its versioned type
      When I send "POST" to "{scoped}/runs" with:
        """
        {"kind": "svc/script/v1", "filename": "job.py", "source": "import subprocess\nsubprocess.run(['svc', 'step', 's', '--', 'true'], check=True)\n"}
        """
      Then the answer is 201
      When I take the run of the answer
      Then the run succeeds
      And "kind" of the run is "script"
      And 1 steps are recorded
      When I send "POST" to "{scoped}/runs" with:
        """
        {"kind": "svc/script/v2", "filename": "job.py", "source": "pass\n"}
        """
      Then the answer is 400 with code "workflow_kind_unknown"

    @VER-004
    Scenario Outline: the agent socket supports version <spoken>, and a wait with a timeout <outcome>
      When I submit the script "job.mjs":
        """
        import { connect } from 'node:net';
        import { createInterface } from 'node:readline';
        const socket = connect(process.env.SVC_AGENT_SOCKET);
        socket.write('{"id":1,"op":"hello","protocol":<spoken>}\n');
        socket.write('{"id":2,"op":"verb","argv":["wait-signal","go","--timeout","1h"],"cwd":"/"}\n');
        for await (const line of createInterface(socket)) {
          console.log(line);
          if (JSON.parse(line).id === 2) break;
        }
        socket.destroy();
        """
      Then <end>
      And the log has '<said>'

      Examples:
        | spoken | outcome           | end                                    | said               |
        | 1      | is refused        | the run succeeds                       | needs protocol 2   |
        | 2      | parks the program | the run goes on after the signal "go"  | "protocol":2       |

    @contract
    Scenario: every component shows the same version
      When I call "svc --version"
      Then standard output is the version of the package
      When I send "GET" to "/api/v1/agents"
      Then the agents show the version of the package
