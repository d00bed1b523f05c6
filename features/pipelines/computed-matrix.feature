Feature: A matrix that an earlier job computes

  Rule: A matrix, an axis or a list of combinations can be an expression

    @contract
    Scenario: an axis comes from a job's output
      When I submit the pipeline:
        """
        outputs: { all: "${{ jobs.build.all.map(one, one.name) }}" }
        jobs:
          plan:
            steps: [{ id: list, run: "svc output set services:='[\"api\",\"web\"]'" }]
            outputs: { services: "${{ steps.list.output.services }}" }
          build:
            needs: plan
            strategy: { matrix: { service: "${{ jobs.plan.outputs.services }}", os: [linux] } }
            env: { NAME: "${{ matrix.service }}-${{ matrix.os }}" }
            steps: [{ id: make, run: 'echo "building $NAME"; svc output set name="$NAME"' }]
            outputs: { name: "${{ steps.make.output.name }}" }
        """
      Then the run succeeds
      And "output.all" of the run is '["api-linux","web-linux"]'
      And the log has "build (service=web, os=linux) | building web-linux"
      When I call "svc steps {run} --node build"
      Then it exits with 0
      And standard output has "build (service=api, os=linux)"

    @contract
    Scenario: a list of objects is a list of combinations, and with an empty list, nothing runs
      When I submit the pipeline with '{"input": {"targets": [{"region": "eu", "n": 1}, {"region": "us", "n": 2}]}}':
        """
        outputs: { all: "${{ jobs.deploy.all.map(one, one.to) }}", none: "${{ jobs.nothing.all }}" }
        jobs:
          deploy:
            strategy: { matrix: "${{ input.targets }}" }
            env: { TO: "${{ matrix.region }}${{ matrix.n }}" }
            steps: [{ id: go, run: 'svc output set to="$TO"' }]
            outputs: { to: "${{ steps.go.output.to }}" }
          nothing:
            strategy: { matrix: { x: "${{ input.targets.filter(one, one.n > 2) }}" } }
            steps: [{ run: "false" }]
        """
      Then the run succeeds
      And "output" of the run is '{"all":["eu1","us2"],"none":[]}'

  Rule: A value that is not a matrix fails the job

    @contract
    Scenario Outline: <what> fails the job
      When I submit the pipeline with '{"input": <input>}':
        """
        jobs: { build: { strategy: { matrix: <matrix> }, steps: [{ run: "true" }] } }
        """
      Then the run fails with code "<code>"
      And the run fails and its error has "<says>"

      Examples:
        | what                  | input                    | matrix                              | code           | says                                                              |
        | a text                | {"list": "a"}            | { x: "${{ input.list }}" }          | matrix_invalid | /jobs/build/strategy/matrix/x must be a list, not a string        |
        | a whole text          | "a"                      | "${{ input }}"                      | matrix_invalid | /jobs/build/strategy/matrix must be a list, or an object          |
        | a list of texts       | ["a"]                    | "${{ input }}"                      | matrix_invalid | /jobs/build/strategy/matrix/include/0 must be an object           |
        | an absent member      | {}                       | { x: "${{ input.list }}" }          | flow_expression_failed | input.list: no such field                                 |
        | too many combinations | {"n": [0,1,2,3,4,5,6,7,8,9]} | { a: "${{ input.n }}", b: "${{ input.n }}", c: "${{ input.n }}", d: [1, 2] } | matrix_invalid | has 2000 combinations; the limit is 1000 |

    @contract
    Scenario Outline: svc check finds <what>
      When I check the pipeline:
        """
        vars: { list: [a] }
        jobs:
          plan: { steps: [{ run: "true" }] }
          build: { needs: plan, strategy: { matrix: <matrix> }, steps: [{ run: <run> }] }
        """
      Then it has the problem "<says>" at "<at>"

      Examples:
        | what                              | matrix                              | run                      | says                           | at   |
        | a job that does not exist         | { x: "${{ jobs.plam.outputs.x }}" } | "true"                   | `jobs.plam` is not in the      | 4:54 |
        | an axis that is no expression     | { x: abc }                          | "true"                   | must be a list, or a single    | 4:50 |
        | an axis that does not exist       | { x: "${{ vars.list }}" }           | 'echo ${{ matrix.y }}'   | there is no `matrix.y`         | 4:98 |
        | a program made from the input     | { x: "${{ input.list }}" }          | 'echo ${{ matrix.x }}'   | `matrix` comes from outside    | 4:99 |
