<?php
$handle = curl_init($argv[1]);
exit(curl_exec($handle) ? 0 : 1);
