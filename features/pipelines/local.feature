Feature: Pipelines without a server

  Rule: A local run uses the same engine

    @CLI-053
    Scenario: svc run supports jobs, a matrix, a group, a child and outputs
      Given a file "sub.sh":
        """
        svc output set doubled:=$((N * 2))
        """
      And a file "ci.yml":
        """
        outputs:
          versions: "${{ jobs.build.all.map(x, x.version) }}"
          doubled: "${{ jobs.twice.outputs.doubled }}"
        jobs:
          build:
            strategy: { matrix: { node: [20, 22, 24], exclude: [{ node: 22 }] }, max_parallel: 1 }
            steps: [{ id: v, run: 'echo "version=1.$NODE" >> "$SVC_OUTPUT"', env: { NODE: "${{ matrix.node }}" } }]
            outputs: { version: "${{ steps.v.output.version }}" }
          one: { needs: build, concurrency: site, steps: [{ run: "true" }] }
          two: { needs: build, concurrency: site, steps: [{ run: "true" }] }
          twice: { needs: [one, two], workflow: ./sub.sh, env: { N: "4" } }
        """
      When I call "svc run ci.yml --json" without the environment's target
      Then it exits with 0
      And standard output is JSON whose "output.versions.0" is "1.20"
      And standard output is JSON whose "output.versions.1" is "1.24"
      And standard output is JSON whose "output.doubled" is "8"

    @contract
    Scenario: the artifacts are available when the run has ended
      Given a file "ci.yml":
        """
        jobs:
          build: { steps: [{ run: mkdir dist && echo made > dist/app.txt }], artifacts: [dist/] }
        """
      When I call "svc run ci.yml --artifacts out" without the environment's target
      Then it exits with 0
      And the file "out/dist/app.txt" holds "made"

  @contract @needs-git
  Rule: A local run starts with an event as it would on a server

    Background:
      Given a file "ci.yml":
        """
        outputs: { ref: "${{ input.ref }}", web: "${{ jobs.web.status }}", docs: "${{ jobs.docs.status }}", seen: "${{ jobs.seen.outputs.seen }}" }
        tags: ["team:core"]
        jobs:
          web: { if: "!input.paths_known || input.paths.exists(p, p.startsWith('web/'))", steps: [{ run: "true" }], checkout: false }
          docs: { if: "input.paths.exists(p, p.startsWith('docs/'))", steps: [{ run: "true" }], checkout: false }
          seen:
            steps:
              - id: s
                env: { SUBJECT: "${{ run.subject }}", SENDER: "${{ input.sender }}" }
                run: echo "seen=$SUBJECT by $SENDER, $(cat app.txt)" >> "$SVC_OUTPUT"
            outputs: { seen: "${{ steps.s.output.seen }}" }
        """
      And a repository "site" whose "app.txt" is:
        """
        from the repository
        """

    Scenario: a run starts from a forge delivery, with the repository at its commit
      Given a file "push.json":
        """
        {"forge": "forge_a", "event": "push", "body": {
          "ref": "refs/heads/main", "after": "{sha}", "sender": {"login": "ann"},
          "repository": {"full_name": "acme/site", "clone_url": "file://{folder}/repos/site"},
          "commits": [{"added": ["web/a.js"], "modified": [], "removed": []}]}}
        """
      When I call "svc run ci.yml --event push.json --json" without the environment's target
      Then it exits with 0
      And standard output is JSON whose "output.web" is "succeeded"
      And standard output is JSON whose "output.docs" is "skipped"
      And standard output is JSON whose "output.seen" is "acme/site by ann, from the repository"
      And standard output is JSON whose "trigger.type" is "push"
      And standard output is JSON whose "trigger.sha" is "{sha}"
      And standard output is JSON whose "subject" is "acme/site"

    Scenario: a run starts from a server's recorded event and has the same result
      Given the webhook "ci" for "acme/site" runs "ci.yml":
        """
        outputs: { ref: "${{ input.ref }}", paths: "${{ input.paths }}", inner: "${{ input.payload.sender }}", trusted: "${{ run.trigger }}" }
        jobs: { one: { steps: [{ run: "test -n \"${{ run.subject }}\"" }] } }
        """
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "sender": {"login": "ann"},
         "repository": {"full_name": "acme/site", "clone_url": "file://{folder}/repos/site"},
         "commits": [{"added": ["b", "a"], "modified": ["a"], "removed": []}]}
        """
      Then the workflow of the webhook "ci" succeeds
      When I look at the pipeline "ci.yml"
      And I call "svc events show {event} --json"
      And I keep standard output as "event.json"
      And a file "same.yml":
        """
        outputs: { ref: "${{ input.ref }}", paths: "${{ input.paths }}", inner: "${{ input.payload.sender }}", trusted: "${{ run.trigger }}" }
        jobs: { one: { steps: [{ run: "test -n \"${{ run.subject }}\"" }] } }
        """
      And I call "svc run same.yml --event event.json --json" without the environment's target
      Then it exits with 0
      And standard output is JSON whose "output" is that of the run
      And standard output is JSON whose "subject" is that of the run
      And standard output is JSON whose "trusted" is that of the run
      And standard output is JSON whose "generation" is that of the run

    @needs-python3
    Scenario: a script starts from a handwritten event
      Given a file "event.json":
        """
        {"type": "deploy.asked", "key": "site", "payload": {"version": 3}}
        """
      And a file "job.sh":
        """
        echo "$CI_TRIGGER_EVENT of $(python3 -c 'import json,os;e=json.load(open(os.environ["SVC_INPUT_FILE"]));print(e["key"],e["payload"]["version"])')"
        """
      When I call "svc run job.sh --event event.json" without the environment's target
      Then it exits with 0
      And standard output is "deploy.asked of site 3"

    Scenario: a script starts from a schedule's tick
      Given a file "event.json":
        """
        {"type": "schedule.tick", "schedule": "nightly"}
        """
      And a file "job.sh":
        """
        echo "$CI_TRIGGER_EVENT $CI_TRIGGER_SCHEDULE"
        """
      When I call "svc run job.sh --event event.json" without the environment's target
      Then it exits with 0
      And standard output is "schedule.tick nightly"

    Scenario Outline: an impossible event is rejected: <what>
      Given a file "event.json":
        """
        <text>
        """
      When I call "svc run ci.yml --event <file>" without the environment's target
      Then it exits with <exit>
      And standard error has "<part>"

      Examples:
        | what                  | file       | exit | text                                                             | part                                                   |
        | no file               | none.json  | 2    | {}                                                               | cannot read none.json: there is no such file           |
        | no JSON               | event.json | 2    | {"type": push}                                                   | event.json is not JSON                                 |
        | no object             | event.json | 1    | []                                                               | must be an object: an event with a `type`              |
        | no type               | event.json | 1    | {"payload": 1}                                                   | type is required                                       |
        | a type with a space   | event.json | 1    | {"type": "a b"}                                                  | 1 to 64 characters                                     |
        | a submission          | event.json | 1    | {"type": "manual"}                                               | omit the event and pass --input                        |
        | a platform's own      | event.json | 1    | {"type": "run.begun"}                                            | is reserved for the service                            |
        | an empty key          | event.json | 1    | {"type": "a", "key": ""}                                         | must not be empty                                      |
        | paths that are none   | event.json | 1    | {"type": "push", "paths": "web/a.js"}                            | paths must be a list of strings                          |
        | a tick of nothing     | event.json | 1    | {"type": "schedule.tick"}                                        | schedule must be the schedule's name                  |
        | an unknown forge      | event.json | 1    | {"forge": "forge_z", "event": "push", "body": {}}                | must be a connector that describes a forge: forge_a    |
        | no repository         | event.json | 1    | {"forge": "forge_a", "event": "push", "body": {}}                | the body does not name a repository                    |
        | a body that is a list | event.json | 1    | {"forge": "forge_a", "event": "push", "body": []}                | body must be the JSON object                           |
        | a misspelt member     | event.json | 1    | {"forge": "forge_a", "event": "push", "body": {}, "rep": "a/b"}  | rep is not a known member of a delivery                |
        | a removed ref         | event.json | 1    | {"forge": "forge_a", "event": "push", "body": {"deleted": true, "repository": {"full_name": "a/b"}}} | deleted its ref    |

  @contract
  Rule: Events can be sent to a local run that waits for them

    Background:
      Given a file "ci.yml":
        """
        outputs: { by: "${{ jobs.approval.outputs.payload.by }}" }
        jobs:
          approval: { wait_for_event: deploy.approved, when: "event.payload.ok", timeout: 1h }
        """

    Scenario: --emit sends events in order until the predicate accepts one
      When I call "svc run ci.yml --emit 'deploy.approved={\"ok\":false}' --emit 'deploy.approved={\"ok\":true,\"by\":\"bo\"}' --json" without the environment's target
      Then it exits with 0
      And standard output is JSON whose "output.by" is "bo"

    Scenario: svc run prints the command that sends the event from another terminal
      When I start "svc run ci.yml --json" as "it" with the settings:
        | SVC_LOG_LEVEL | error |
      Then "it" says "approval of run_\w+ is waiting for the event deploy.approved; from another terminal: \(cd (\S+) && svc emit deploy.approved"
      When I call "svc emit deploy.approved --payload '{\"ok\":true,\"by\":\"eve\"}'" in the folder "{it}"
      Then it exits with 0
      And "it" ends with 0
      And the log of "it" has "eve"

    Scenario: a payload that is not JSON is rejected before anything runs
      When I call "svc run ci.yml --emit deploy.approved=yes" without the environment's target
      Then it exits with 2
      And standard error has "the payload of --emit deploy.approved is not JSON"
