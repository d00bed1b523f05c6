Feature: svc in a step of a job

  Rule: An emit is identified by its position, no matter how often it is repeated

    @EVT-033 @EVT-030
    Scenario: a step runs again from its beginning, but its event is emitted once
      When I submit the pipeline:
        """
        jobs:
          one:
            retry: { attempts: 2 }
            steps:
              - run: |
                  echo run >> {folder}/runs
                  svc emit built --payload "$(wc -l < {folder}/runs)"
                  svc emit built --payload '"second"'
                  test $(wc -l < {folder}/runs) -ge 2
                retry: { attempts: 2 }
              - run: test $(wc -l < {folder}/runs) = 3
        """
      Then the run succeeds
      And the file "runs" has 3 lines
      And there are 2 events "built"
      And the first event "built" carries "1"

  Rule: Verbs that need a journal work only in scripts

    @SCR-067
    Scenario: svc spawn and svc step report that they work only in a script
      When I submit the pipeline:
        """
        jobs:
          one:
            steps:
              - run: |
                  echo true > child.sh
                  svc spawn child.sh || echo "exit $?"
                  svc step a -- true || echo "exit $?"
        """
      Then the run succeeds
      # @contract
      And the log has "svc spawn works only in a script run"
      # @contract
      And the log has "svc step works only in a script run"
      And the log has "exit 1" 2 times
      When I send "GET" to "{scoped}/runs"
      Then the answer lists 1 "runs"

  Rule: Each step of each job and run has a unique SVC_IDEMPOTENCY_KEY

    @SCR-029
    Scenario: the key is the same in every attempt and different everywhere else
      When I submit the pipeline:
        """
        jobs:
          one:
            strategy: { matrix: { n: [1, 2] } }
            retry: { attempts: 2 }
            steps:
              - run: echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys
                env: { N: "${{ matrix.n }}" }
              - run: |
                  echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys
                  mkdir {folder}/tried-$N
                env: { N: "${{ matrix.n }}" }
                retry: { attempts: 1 }
                continue_on_error: true
              - run: mkdir {folder}/again-$N || exit 0; exit 1
                env: { N: "${{ matrix.n }}" }
        """
      Then the run succeeds
      And the file "keys" has 8 lines
      And the file "keys" has 4 different lines
      When I rerun it as "again"
      Then the run succeeds
      And the file "keys" has 8 different lines

  @contract
  Rule: Notes and state work as in a script

    Scenario: a step uses svc annotate and svc state
      When I submit the pipeline:
        """
        jobs:
          one:
            steps:
              - run: svc annotate "**built**"; svc state set n 1 --entity counts; svc state get n --entity counts
        """
      Then the run succeeds
      And "annotations.0" of the run is "**built**"
