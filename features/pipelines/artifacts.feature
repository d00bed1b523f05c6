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
