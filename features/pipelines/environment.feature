Feature: Values and variables of a pipeline

  @contract
  Rule: A more specific variable takes precedence

    Scenario: variables are set by the document, a job, a step and the submission
      When I submit the pipeline with '{"env": {"B": "submit"}, "input": {"who": "ann"}}':
        """
        env: { A: document, B: document, C: document, D: document, WHO: "${{ input.who }}" }
        jobs:
          one:
            env: { C: job, D: job, E: "${{ env.A }}+${{ env.WHO }}" }
            steps:
              - env: { D: step }
                run: echo "$A $B $C $D $E ${{ env.D }}"
        """
      Then the run succeeds
      And the log has "document submit job step document+ann step"

    Scenario: a variable overrides a secret
      Given the secret "TOKEN" is "from-the-project"
      And the secret "OTHER" is "kept-secret"
      When I submit the pipeline:
        """
        jobs: { one: { env: { TOKEN: literal }, steps: [{ run: 'echo "$TOKEN $OTHER ${#OTHER}"' }] } }
        """
      Then the run succeeds
      And the log has "literal *** 11"

  Rule: A handler's pipeline gets the event as its input

    @HAND-003 @CLI-027 @HAND-041 @HAND-042
    Scenario: a pipeline reads the event's type and payload
      Given a file "ci.txt":
        """
        outputs: { type: "${{ input.type }}", n: "${{ input.payload.n }}", sum: "${{ input.payload.list[0] + 1.0 }}" }
        jobs:
          one:
            env: { NAME: "${{ input.payload.name }} of ${{ input.type }}" }
            steps: [{ run: echo "built $NAME" }]
        """
      When I call "svc handler set build {folder}/ci.txt --as=yaml --on shop.built"
      Then it exits with 0
      When somebody emits "shop.built" with '{"payload": {"name": "cart", "n": 7, "list": [1]}}'
      Then the handler "build" succeeds
      And "kind" of the run is "pipeline"
      And the log has "built cart of shop.built"
      And "output" of the run is '{"type":"shop.built","n":7,"sum":2}'

    @contract
    Scenario: a webhook's inline pipeline gets the push
      Given the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "pipeline": "jobs:\n one:\n  env:\n   REF: ${{ input.ref }}\n  steps:\n   - run: echo at $REF $CI_TRIGGER_SHA"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "aaa1", "repository": {"full_name": "acme/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "at refs/heads/main aaa1"
      And "kind" of the run is "pipeline"
      And "subject" of the run is "acme/site"

  @contract
  Rule: A script gets the input file and the trigger's variables

    Scenario: a script in a submitted pipeline has the manual trigger
      When I submit the pipeline with '{"input": {"a": 1}}':
        """
        jobs: { one: { steps: [{ run: 'cat "$SVC_INPUT_FILE"; echo " $CI_TRIGGER_EVENT $SVC_WORKFLOW_ID"' }] } }
        """
      Then the run succeeds
      And the log has '"input":{"a":1}'
      And the log has "manual {run}"
