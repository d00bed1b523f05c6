Feature: Size limit of step output

  Rule: A step records at most 2 MiB of output

    @LIM-003 @ERR-035 @ERR-036
    Scenario: one byte more than 2 MiB is rejected, and the message states the difference
      When I submit the script "large.sh":
        """
        svc step exact -- head -c 2097152 /dev/zero | wc -c | tr -d ' '
        for bytes in 2097153 3000000; do
          kept=$(svc step over -- head -c $bytes /dev/zero | wc -c | tr -d ' ')
          echo "kept $kept"
        done
        code=0; svc step over -- head -c 2097153 /dev/zero > /dev/null || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "2097152"
      And the log has "kept 0" 2 times
      And the log has "code 1"
      # @contract
      And the log has "over#0 is 1 byte over the limit of 2 MiB"
      And the recorded steps are:
        | site    | exit |
        | exact#0 | 0    |
        | over#0  | 1    |
        | over#1  | 1    |
        | over#2  | 1    |
      And the log matches "902848|881\.\d|882|0\.86"
      # @contract
      And the log has "over#1 is 902848 bytes over the limit of 2 MiB"
