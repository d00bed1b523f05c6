@contract
Feature: Job artifacts

  Rule: A job's artifacts are stored with the run when its steps have succeeded

    Scenario: a folder, a single file and a file from within a step become artifacts
      When I submit the pipeline:
        """
        jobs:
          build:
            steps:
              - id: make
                run: |
                  mkdir -p dist/deep; echo one > dist/a.txt; echo two > dist/deep/b.txt; echo three > report.txt; echo four > now.txt
                  svc artifact put now.txt
                  echo "name=report.txt" >> "$SVC_OUTPUT"
            artifacts: ["./dist/", "${{ steps.make.output.name }}"]
          later:
            needs: build
            steps: [{ run: echo done }]
        """
      Then the run succeeds
      When I call "svc artifact get {run} dist/deep/b.txt --output {folder}"
      Then it exits with 0
      And the file "dist/deep/b.txt" is:
        """
        two
        """
      When I send "GET" to "{scoped}/runs/{run}/artifacts"
      Then the answer lists 4 "artifacts"

    Scenario: a missing file fails the job, and a failed job stores nothing
      When I submit the pipeline:
        """
        jobs: { build: { steps: [{ run: "true" }], artifacts: [dist] } }
        """
      Then the run fails with code "artifact_failed"
      And the run fails and its error has "no file or folder dist"
      When I submit the pipeline:
        """
        jobs: { build: { steps: [{ run: "echo 1 > x; exit 1" }], artifacts: [x] } }
        """
      Then the run fails with code "step_failed"
      When I send "GET" to "{scoped}/runs/{run}/artifacts"
      Then the answer lists 0 "artifacts"

    Scenario: a job needs files whose names look like options or like the ID of a run
      When I submit the pipeline:
        """
        jobs:
          build:
            steps: [{ run: "echo one > ./-x; echo two > ./--as; echo three > run_2" }]
            artifacts: ["-x", "--as", run_2]
          check:
            needs: [{ job: build, artifacts: true }]
            steps: [{ run: 'test "$(cat ./-x ./--as run_2 | tr "\n" " ")" = "one two three "' }]
        """
      Then the run succeeds

    Scenario: a job stores its whole workspace, and another one needs it
      When I submit the pipeline:
        """
        jobs:
          build:
            steps: [{ run: "mkdir d; echo one > a; echo two > d/b" }]
            artifacts: ["."]
          check:
            needs: [{ job: build, artifacts: true }]
            steps: [{ run: 'test "$(cat a d/b | tr "\n" " ")" = "one two "' }]
        """
      Then the run succeeds

  Rule: Names that differ only in case are different files

    Scenario: case matters for a job's artifacts and for the scripts that jobs run
      Given a file "Ship.sh":
        """
        svc output set by=upper
        """
      And a file "ship.sh":
        """
        svc output set by=lower
        """
      And a file "ci.yml":
        """
        jobs:
          make:
            steps: [{ run: "echo upper > Report.txt; echo lower > report.txt" }]
            artifacts: [Report.txt, report.txt]
          upper: { workflow: ./Ship.sh }
          lower: { workflow: ./ship.sh }
        outputs: { upper: "${{ jobs.upper.outputs.by }}", lower: "${{ jobs.lower.outputs.by }}" }
        """
      When I submit "ci.yml" with the CLI as "run"
      Then the run succeeds
      And "output" of the run is '{"upper":"upper","lower":"lower"}'
      When I call "svc artifact get {run} --output {folder}/got"
      Then it exits with 0
      And the file "got/Report.txt" is:
        """
        upper
        """
      And the file "got/report.txt" is:
        """
        lower
        """

  Rule: A job's workspace starts with the artifacts that it needs

    Scenario: a job gets everything that one job stored, and selected paths from another
      When I submit the pipeline:
        """
        vars: { site: docs }
        jobs:
          build:
            steps: [{ run: "mkdir -p dist/deep; echo app > dist/app.js; echo lib > dist/deep/lib.js; echo 1.4 > version" }]
            artifacts: [./dist/, version]
          pages:
            steps: [{ run: "mkdir -p docs/a other; echo page > docs/a/page; echo other > other/file; svc artifact put docs; svc artifact put other" }]
          ship:
            needs: [{ job: build, artifacts: true }, { job: pages, artifacts: ["${{ vars.site }}/"] }]
            steps:
              - id: look
                run: |
                  test ! -e other
                  echo "more" >> dist/app.js; rm version
                  svc output set app="$(head -n 1 dist/app.js)" lib="$(cat dist/deep/lib.js)" page="$(cat docs/a/page)"
            outputs: { seen: "${{ steps.look.output }}" }
        outputs: { seen: "${{ jobs.ship.outputs.seen }}" }
        """
      Then the run succeeds
      And "output.seen" of the run is '{"app":"app","lib":"lib","page":"page"}'
      And the log has "fetching artifacts: ./dist/, version, docs/"

    Scenario: each matrix combination stores a folder, and a rerun of the last job has all of them
      When I submit the pipeline:
        """
        jobs:
          build:
            strategy: { matrix: { os: [linux, mac] } }
            steps: [{ run: "mkdir -p out/$OS; echo $OS-$RANDOM > out/$OS/name", env: { OS: "${{ matrix.os }}" } }]
            artifacts: [out/]
          ship:
            needs: [{ job: build, artifacts: true }]
            steps: [{ run: "cat out/linux/name out/mac/name >> {folder}/names" }]
        """
      Then the run succeeds
      And the file "names" has 2 different lines
      When I rerun it from "ship" as "again"
      Then the run succeeds
      And the file "names" has 4 lines
      And the file "names" has 2 different lines

    Scenario: an artifact that the run does not have fails the job before its first step
      When I submit the pipeline:
        """
        jobs:
          build: { steps: [{ run: "true" }] }
          ship:
            needs: [{ job: build, artifacts: [dist/, report.txt] }]
            steps: [{ run: "touch {folder}/began" }]
        """
      Then the run fails with code "artifact_missing"
      And the run fails and its error has "the run has no artifact dist"
      And there is no file "began"

    Scenario: the check reports artifacts that cannot be fetched
      When I check the pipeline:
        """
        jobs:
          build: { steps: [{ run: "true" }] }
          named: { steps: [{ run: "true" }], artifacts: ["${{ run.run_id }}.txt"] }
          one: { needs: [{ job: build, artifacts: true }], steps: [{ run: "true" }] }
          two: { needs: [{ job: named, artifacts: true }], steps: [{ run: "true" }] }
          three: { needs: [{ job: named, artifacts: [a] }], wait_for_event: go }
          four: { needs: [{ job: biuld }], steps: [{ run: "true" }] }
        """
      Then it has the problem "`build` has no `artifacts`" at "4:43"
      And it has the problem "contain expressions" at "5:43"
      And it has the problem "only a job with `steps` has a workspace" at "6:34"
      And it has the problem "did you mean `build`" at "7:26"
      And it has 4 problems

  Rule: A step fetches artifacts of its run without a token

    Scenario: a step fetches a folder, one file and everything
      When I submit the pipeline:
        """
        jobs:
          build:
            steps: [{ run: "mkdir -p dist/a; echo one > dist/a/one; echo two > two" }]
            artifacts: [dist, two]
          use:
            needs: build
            env: { RUN: "${{ run.run_id }}" }
            steps:
              - run: |
                  test "$(svc artifact get dist --output here)" = dist/a/one
                  test "$(cat here/dist/a/one)" = one; test ! -e here/two
                  test "$(svc artifact get two --output -)" = two
                  svc artifact get "$RUN" | sort > all; printf 'dist/a/one\ntwo\n' | cmp - all; cmp two <(echo two)
                  code=0; svc artifact get three 2> said || code=$?; test $code = 1; grep -q 'no artifact three' said
                  code=0; svc artifact get run_01ARZ3NDEKTSV4RRFFQ69G5FAV 2> said || code=$?; test $code = 2; grep -q 'another run' said
                  mkdir closed; chmod 0 closed; touch file
                  code=0; svc artifact get two --output file 2> said || code=$?; test $code = 1; grep -q 'cannot be copied to file' said
        """
      Then the run succeeds

    @needs-cc
    Scenario: an untrusted pipeline gets the artifacts of its own run in isolation
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And a file "ci.yml":
        """
        jobs:
          build:
            steps: [{ run: "mkdir -p dist/a; echo one > dist/a/one; ln -s /etc out; svc artifact put dist" }]
          use:
            needs: [{ job: build, artifacts: [dist] }]
            steps: [{ run: "cat dist/a/one; svc artifact get dist --output again; cmp dist/a/one again/dist/a/one && echo same" }]
        """
      When I call "svc handler set outsider {folder}/ci.yml --as=yaml --on forge.pull_request"
      Then it exits with 0
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      And the event of the delivery is looked at
      Then the handler "outsider" succeeds
      And "trusted" of the run is "false"
      And the log has "same"
